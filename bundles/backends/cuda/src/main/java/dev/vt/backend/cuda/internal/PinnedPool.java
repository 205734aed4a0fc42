package dev.vt.backend.cuda.internal;

import dev.vt.backend.cuda.internal.driver.DeviceContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Page-locked host memory. Locking pages takes the system about half a millisecond a MiB, so blocks that are given back are kept,
 * by size, up to a limit. Any thread may call it.
 */
final class PinnedPool implements AutoCloseable {
    private static final long PAGE = 4096;

    /** Kept at most; with it a process keeps what a model's uploads take in turns. */
    private static final long KEPT = 256L << 20;

    /** From here on a block is rounded up to this instead of a power of two. */
    private static final long LARGE = 1L << 20;

    private final DeviceContext context;
    private final Map<Long, Deque<Long>> free = new HashMap<>();
    private long kept;

    PinnedPool(DeviceContext context) {
        this.context = context;
    }

    /** Address of at least so many bytes, on a page's boundary; 0 when none are left. */
    long take(long bytes) {
        long size = rounded(bytes);
        synchronized (free) {
            Deque<Long> same = free.get(size);
            if (same != null && !same.isEmpty()) {
                kept -= size;
                return same.pop();
            }
        }
        long address = context.allocateHost(size);
        if (address == 0) {
            close();
            address = context.allocateHost(size);
        }
        return address;
    }

    /** Takes back what {@link #take} gave for the same number of bytes; nothing may use it any more. */
    void give(long address, long bytes) {
        if (address == 0) {
            return;
        }
        long size = rounded(bytes);
        synchronized (free) {
            if (kept + size <= KEPT) {
                kept += size;
                free.computeIfAbsent(size, s -> new ArrayDeque<>()).push(address);
                return;
            }
        }
        context.freeHost(address);
    }

    private static long rounded(long bytes) {
        if (bytes > LARGE) {
            return Math.addExact(bytes, LARGE - 1) / LARGE * LARGE;
        }
        return bytes <= PAGE ? PAGE : Long.highestOneBit(bytes - 1) << 1;
    }

    /** Frees what is kept. */
    @Override
    public void close() {
        Deque<Long> all = new ArrayDeque<>();
        synchronized (free) {
            free.values().forEach(all::addAll);
            free.clear();
            kept = 0;
        }
        all.forEach(context::freeHost);
    }
}
