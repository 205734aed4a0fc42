package dev.vt.backend.cuda.internal;

import dev.vt.api.device.Device;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.StaleGraphException;
import java.util.List;

/** Enters the providers whose kernels a graph holds, so that none of them leaves while the driver looks at the graph. */
final class Owners {
    private Owners() {}

    /** Does some work inside all of them; once one has left nothing is done and the exception names it. */
    static void inside(Device device, List<KernelOwner> owners, Runnable work) {
        int entered = 0;
        try {
            for (KernelOwner owner : owners) {
                if (!owner.enter()) {
                    throw new StaleGraphException("graph of " + device + ": provider " + owner.name()
                            + ", whose kernels it holds, has left; capture again");
                }
                entered++;
            }
            work.run();
        } finally {
            for (int i = 0; i < entered; i++) {
                owners.get(i).exit();
            }
        }
    }
}
