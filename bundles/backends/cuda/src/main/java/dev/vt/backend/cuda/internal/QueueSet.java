package dev.vt.backend.cuda.internal;

import dev.vt.api.VtException;
import dev.vt.backend.cuda.internal.driver.DeviceContext;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open queues of one device. Any thread may call it; closing it closes them all and lets no new one in. */
final class QueueSet implements AutoCloseable {
    private final DeviceContext context;
    private final Set<StreamQueue> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    QueueSet(DeviceContext context) {
        this.context = context;
    }

    void add(StreamQueue queue) {
        open.add(queue);
        if (closed) {
            open.remove(queue);
            throw VtException.closed(
                    "backend cuda of " + context.state().device() + ": createQueue: the backend is closed");
        }
    }

    void remove(StreamQueue queue) {
        open.remove(queue);
    }

    Iterable<StreamQueue> open() {
        return open;
    }

    int size() {
        return open.size();
    }

    /** Blocks until all work accepted so far is done; failures stay with their queue, and a device that failed does nothing. */
    void drain() {
        for (StreamQueue queue : open) {
            queue.awaitAccepted();
        }
    }

    /** Memory can't be had while the calling thread captures: the capture ends and the call is refused. */
    void refuseInCapture(String what) {
        for (StreamQueue queue : open) {
            queue.refuseInCaptureOfCaller(what);
        }
    }

    @Override
    public void close() {
        closed = true;
        for (StreamQueue queue : open) {
            queue.close();
        }
    }
}
