package dev.vt.backend.cpu.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Event;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An event of the CPU backend: the fence of its last record. Queues that wait hold the fence and not the event, so
 * closing the event changes nothing for them.
 */
final class CpuEvent implements Event {
    private final Device device;
    private final boolean blocking;
    private volatile @Nullable Fence last;
    private volatile boolean closed;

    CpuEvent(Device device, boolean blocking) {
        this.device = device;
        this.blocking = blocking;
    }

    /** The event as one of this backend's, open and of the queue's device. */
    static CpuEvent of(TaskQueue queue, Event event) {
        Objects.requireNonNull(event, "event");
        if (!event.device().equals(queue.device())) {
            throw VtException.invalidArgument(
                    queue + ": expected an event of " + queue.device() + ", given one of " + event.device());
        }
        if (!(event instanceof CpuEvent own)) {
            throw VtException.invalidArgument(queue + ": expected an event of this backend, given a "
                    + event.getClass().getName());
        }
        own.requireOpen();
        return own;
    }

    void recorded(Fence fence) {
        last = fence;
    }

    @Nullable
    Fence last() {
        return last;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public boolean query() {
        requireOpen();
        Fence fence = last;
        return fence == null || fence.done();
    }

    @Override
    public void synchronize() {
        requireOpen();
        Fence fence = last;
        if (fence == null || fence.done()) {
            return;
        }
        if (CpuThread.isCurrent()) {
            throw VtException.invalidArgument("event of " + device
                    + ": synchronize: a task of the backend must not wait;"
                    + " let its queue wait with waitFor");
        }
        if (blocking) {
            fence.park();
        } else {
            fence.await();
        }
    }

    @Override
    public void close() {
        closed = true;
    }

    private void requireOpen() {
        if (closed) {
            throw VtException.closed("event of " + device + ": the event is closed");
        }
    }
}
