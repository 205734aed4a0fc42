package dev.vt.testkit;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Graph;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.Queue;
import java.util.List;

/** A graph of a {@link DeviceDouble}. */
record DoubleGraph(Device device, Graph inner) implements Graph {
    @Override
    public int nodes() {
        return inner.nodes();
    }

    @Override
    public List<KernelOwner> owners() {
        return inner.owners();
    }

    @Override
    public void replay(Queue queue) {
        if (!(queue instanceof DoubleQueue own) || !own.device().equals(device)) {
            throw VtException.invalidArgument(
                    "graph of " + device + ": expected a queue of this device, given one of " + queue.device());
        }
        own.flush();
        inner.replay(own.inner());
    }

    @Override
    public void close() {
        inner.close();
    }
}
