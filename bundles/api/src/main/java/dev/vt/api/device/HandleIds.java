package dev.vt.api.device;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives out the numbers of queues and memory blocks. They are unique in the process, over all backends and over every
 * reload of a backend's bundle, so their source lives here. Backends alone call it; any thread may.
 */
public final class HandleIds {
    // The one static mutable state of the runtime: what is unique in a process needs one source in the process.
    private static final AtomicLong QUEUES = new AtomicLong();
    private static final AtomicLong MEMORIES = new AtomicLong();

    private HandleIds() {}

    /** The number of a new queue, from 1 on. */
    public static long nextQueue() {
        return QUEUES.incrementAndGet();
    }

    /** The number of a new memory block, from 1 on. */
    public static long nextMemory() {
        return MEMORIES.incrementAndGet();
    }
}
