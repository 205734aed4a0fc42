package dev.vt.backend.cuda.internal;

import dev.vt.backend.cuda.internal.driver.DeviceContext;
import java.util.concurrent.locks.ReentrantLock;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;

/**
 * Device memory, allocated and freed in the order of a stream of its own. A block is freed after all work that the queues had
 * accepted, without anybody waiting; every queue waits for a block that is not there yet. Its lock comes before a queue's. Any
 * thread may call it.
 */
final class DeviceHeap implements AutoCloseable {
    /** What the driver's pool aligns to, and more than the 64 bytes that every backend promises. */
    static final long ALIGNMENT = 256;

    private final DeviceContext context;
    private final QueueSet queues;
    private final CUstream stream;
    private final CUevent fence;
    private final ReentrantLock lock = new ReentrantLock();

    DeviceHeap(DeviceContext context, QueueSet queues) {
        this.context = context;
        this.queues = queues;
        this.stream = context.createStream();
        this.fence = context.createEvent(true);
    }

    /** Address of so many bytes, one at least, aligned to {@link #ALIGNMENT}; 0 when none are left. */
    long allocate(long bytes) {
        lock.lock();
        try {
            long size = Math.max(bytes, ALIGNMENT);
            long address = context.allocate(size, stream);
            if (address == 0) {
                // What is being freed may be enough, and what the pool keeps may be in too small pieces.
                context.synchronize(stream, "allocate");
                context.trim();
                address = context.allocate(size, stream);
            }
            if (address != 0 && !context.idle(stream)) {
                letQueuesWait();
            }
            return address;
        } finally {
            lock.unlock();
        }
    }

    private void letQueuesWait() {
        context.record(fence, stream);
        boolean all = true;
        for (StreamQueue queue : queues.open()) {
            all &= queue.await(fence);
        }
        if (!all) {
            // A queue that captures can't wait for anything outside of its capture.
            context.synchronize(stream, "allocate");
        }
    }

    /** Lets a new queue wait for blocks that are not there yet. */
    void admit(StreamQueue queue) {
        lock.lock();
        try {
            queues.add(queue);
            if (!context.idle(stream)) {
                letQueuesWait();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Frees a block once the queues have done what they have accepted so far. */
    void free(long address) {
        lock.lock();
        try {
            if (context.state().failed()) {
                return;
            }
            for (StreamQueue queue : queues.open()) {
                queue.joinInto(stream);
            }
            context.free(address, stream);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until all that was freed is free, then ends the stream. */
    @Override
    public void close() {
        if (!context.state().failed()) {
            context.synchronize(stream, "close");
        }
        context.destroyEvent(fence);
        context.destroyStream(stream);
    }
}
