package dev.vt.backend.cuda.internal;

import dev.vt.backend.cuda.CudaStream;
import java.util.concurrent.locks.ReentrantLock;

/** The stream of a queue while a thread holds the queue's lock. One for each queue, so that entering allocates nothing. */
final class OpenStream implements CudaStream {
    private final long handle;
    private final ReentrantLock lock;
    private long scratch;

    OpenStream(long handle, ReentrantLock lock) {
        this.handle = handle;
        this.lock = lock;
    }

    /** The caller holds the lock, and {@link #close} gives it back. */
    void begin(long scratchAddress) {
        scratch = scratchAddress;
    }

    @Override
    public long handle() {
        return handle;
    }

    @Override
    public long scratch() {
        return scratch;
    }

    @Override
    public void close() {
        lock.unlock();
    }
}
