package dev.vt.backend.cuda.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.backend.cuda.internal.driver.DeviceState;
import java.util.ArrayList;
import java.util.List;

/**
 * Device memory that kernels need while they run: of a queue, whose works run one after the other, or of a graph. It grows and never
 * shrinks. A queue's smaller block goes when there is a larger one, behind the work that uses it; a graph keeps them all,
 * since what it has recorded goes on using them. Any thread may call it; nobody grows it while holding a queue.
 */
final class Scratch {
    /** Grown in powers of two from here on, so that it grows seldom. */
    private static final long LEAST = 1L << 20;

    private final DeviceState state;
    private final DeviceHeap heap;
    private final boolean keeps;
    private final List<Long> blocks = new ArrayList<>();
    private long address;
    private long bytes;
    private boolean freed;

    Scratch(DeviceState state, DeviceHeap heap, boolean keeps) {
        this.state = state;
        this.heap = heap;
        this.keeps = keeps;
    }

    synchronized boolean holds(long wanted) {
        return wanted <= bytes;
    }

    synchronized long address() {
        return address;
    }

    void grow(long wanted) {
        long size = Math.max(LEAST, Long.highestOneBit(Math.max(1, wanted - 1)) << 1);
        long block = heap.allocate(size);
        if (block == 0) {
            throw new VtException(
                    ErrorCode.OUT_OF_MEMORY,
                    "backend cuda of " + state.device() + ": the device has no room for " + size
                            + " bytes that a kernel needs while it runs");
        }
        long unused = take(block, size);
        if (unused != 0) {
            heap.free(unused);
        }
    }

    /** Goes on with a larger block; the result is what nobody needs any more, or 0. */
    private synchronized long take(long block, long size) {
        if (freed || size <= bytes) {
            return block;
        }
        long old = keeps ? 0 : address;
        blocks.remove(old);
        blocks.add(block);
        address = block;
        bytes = size;
        return old;
    }

    /** Frees all of it; what uses it must be done or on a queue. */
    void free() {
        List<Long> all;
        synchronized (this) {
            freed = true;
            all = List.copyOf(blocks);
            blocks.clear();
            address = 0;
            bytes = 0;
        }
        all.forEach(heap::free);
    }
}
