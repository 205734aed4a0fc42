package dev.vt.backend.cuda.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Graph;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.device.StaleGraphException;
import dev.vt.backend.cuda.internal.driver.DeviceContext;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import jcuda.driver.CUevent;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;

/**
 * A recorded graph of the driver. A replay enters every provider and looks at every block first. Replays of one graph run one
 * after the other, whatever their queues. Closing waits for those that are under way.
 */
final class CudaGraph implements Graph {
    private final CudaDevice device;
    private final DeviceContext context;
    private final CUgraphExec exec;
    private final int nodes;
    private final Capture recorded;
    private final CUevent last;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();

    private CudaGraph(CudaDevice device, CUgraphExec exec, int nodes, Capture recorded) {
        this.device = device;
        this.context = device.context();
        this.exec = exec;
        this.nodes = nodes;
        this.recorded = recorded;
        this.last = context.createEvent(true);
    }

    /** Makes the graph ready to run; the raw one is used up. */
    static CudaGraph of(CudaDevice device, CUgraph raw, Capture recorded) {
        DeviceContext context = device.context();
        boolean made = false;
        try {
            CudaGraph graph = new CudaGraph(device, context.instantiate(raw), context.nodes(raw), recorded);
            made = true;
            return graph;
        } finally {
            context.destroy(raw);
            if (!made) {
                recorded.releases().forEach(Runnable::run);
            }
        }
    }

    @Override
    public Device device() {
        return device.device();
    }

    @Override
    public int nodes() {
        return nodes;
    }

    @Override
    public List<KernelOwner> owners() {
        requireOpen();
        return recorded.owners();
    }

    @Override
    public void replay(Queue queue) {
        requireOpen();
        if (!(queue instanceof StreamQueue target) || target.owner() != device) {
            throw VtException.invalidArgument("graph of " + device() + ": replay: expected a queue of " + device()
                    + ", given one of " + queue.device());
        }
        requireMemory();
        Owners.inside(device.device(), recorded.owners(), () -> launch(target));
    }

    private void launch(StreamQueue target) {
        lock.lock();
        try {
            requireOpen();
            target.give((stream, capture) -> {
                target.refuseInCapture("replay");
                context.await(stream, last);
            });
            target.replay(recorded.faults(), (stream, capture) -> context.launch(exec, stream));
            target.give((stream, capture) -> context.record(last, stream));
        } finally {
            lock.unlock();
        }
    }

    private void requireMemory() {
        for (Memory memory : recorded.memories()) {
            if (memory.closed()) {
                throw new StaleGraphException("graph of " + device() + ": memory block " + memory.id()
                        + ", which it uses, was closed; capture again");
            }
        }
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        lock.lock();
        try {
            if (!context.state().failed()) {
                context.synchronize(last);
            }
        } finally {
            lock.unlock();
        }
        context.destroy(exec);
        context.destroyEvent(last);
        recorded.releases().forEach(Runnable::run);
        device.left(this);
    }

    private void requireOpen() {
        if (closed.get()) {
            throw VtException.closed("graph of " + device() + ": the graph is closed");
        }
    }
}
