package dev.vt.backend.cpu.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Graph;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.device.StaleGraphException;
import dev.vt.backend.cpu.CpuTask;
import dev.vt.backend.cpu.CpuWorkers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A recorded list of tasks. A replay hands them to a queue as one piece of work, after it has entered every provider
 * and looked at every block. Replays that are queued already outlive the graph.
 */
final class CpuGraph implements Graph {
    private final Device device;
    private final int nodes;
    private volatile @Nullable Recording recording;

    CpuGraph(Device device, List<CpuTask> tasks, List<KernelOwner> owners, List<Memory> memories) {
        this.device = device;
        this.nodes = tasks.size();
        this.recording = new Recording(tasks, owners, memories);
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public int nodes() {
        return nodes;
    }

    @Override
    public List<KernelOwner> owners() {
        return open().owners();
    }

    @Override
    public void replay(Queue queue) {
        Recording what = open();
        if (!(queue instanceof TaskQueue target) || !queue.device().equals(device)) {
            throw VtException.invalidArgument("graph of " + device + ": replay: expected a queue of " + device
                    + ", given one of " + queue.device());
        }
        what.requireMemory();
        int entered = 0;
        try {
            for (KernelOwner owner : what.owners()) {
                if (!owner.enter()) {
                    throw new StaleGraphException("graph of " + device + ": provider " + owner.name()
                            + ", whose kernels it holds, has left; capture again");
                }
                entered++;
            }
            Capture outer = target.recording();
            if (outer == null || !outer.addAll(what.tasks(), what.owners(), what.memories())) {
                target.submit(what);
            }
        } finally {
            for (int i = 0; i < entered; i++) {
                what.owners().get(i).exit();
            }
        }
    }

    @Override
    public void close() {
        recording = null;
    }

    private Recording open() {
        Recording what = recording;
        if (what == null) {
            throw VtException.closed("graph of " + device + ": the graph is closed");
        }
        return what;
    }

    private record Recording(List<CpuTask> tasks, List<KernelOwner> owners, List<Memory> memories) implements CpuTask {
        @Override
        public void run(CpuWorkers workers) {
            for (CpuTask task : tasks) {
                task.run(workers);
            }
        }

        void requireMemory() {
            for (Memory memory : memories) {
                if (memory.closed()) {
                    throw new StaleGraphException("graph of " + memory.device() + ": memory block " + memory.id()
                            + ", which it uses, was closed; capture again");
                }
            }
        }
    }
}
