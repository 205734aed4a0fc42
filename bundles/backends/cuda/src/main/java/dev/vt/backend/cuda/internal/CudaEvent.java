package dev.vt.backend.cuda.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Event;
import dev.vt.backend.cuda.internal.driver.DeviceContext;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import jcuda.driver.CUevent;

/** An event of the CUDA backend. The driver keeps the order of queues that wait for one that was closed. */
final class CudaEvent implements Event {
    private final CudaDevice owner;
    private final Device device;
    private final DeviceContext context;
    private final CUevent handle;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final UseCount uses;

    CudaEvent(CudaDevice owner, boolean blocking) {
        this.owner = owner;
        this.device = owner.device();
        this.context = owner.context();
        this.handle = context.createEvent(blocking);
        this.uses = new UseCount(() -> context.destroyEvent(handle));
    }

    /** Something that is done with the native event while it is kept alive. */
    @FunctionalInterface
    interface Use {
        void of(CUevent event);
    }

    /** The event as one of this backend's and of the queue's device. */
    static CudaEvent of(StreamQueue queue, Event event) {
        Objects.requireNonNull(event, "event");
        if (!event.device().equals(queue.device())) {
            throw VtException.invalidArgument(
                    queue + ": expected an event of " + queue.device() + ", given one of " + event.device());
        }
        if (!(event instanceof CudaEvent own)) {
            throw VtException.invalidArgument(queue + ": expected an event of this backend, given a "
                    + event.getClass().getName());
        }
        return own;
    }

    void use(Use use) {
        if (closed.get() || !uses.enter()) {
            throw VtException.closed("event of " + device + ": the event is closed");
        }
        try {
            use.of(handle);
        } finally {
            uses.exit();
        }
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public boolean query() {
        boolean[] done = new boolean[1];
        use(event -> done[0] = context.query(event));
        return done[0];
    }

    @Override
    public void synchronize() {
        use(context::synchronize);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            owner.left(this);
            uses.exit();
        }
    }
}
