package dev.vt.api.device;

import java.lang.foreign.MemorySegment;

/**
 * A block of memory of one device. Whoever allocated it closes it; closing is ordered after all work queued before, happens
 * once, and a use after it is an error that names the block. Any thread may use a block; the order of work on it is that of
 * the queues.
 */
public interface Memory extends AutoCloseable {
    Device device();

    /** A number that is unique in the process and that messages name. */
    long id();

    /** Size in bytes; zero is allowed. */
    long size();

    /**
     * The memory as Java sees it. Where the host can address it the segment has the real size; on a discrete device its size
     * is zero and its address is opaque, so that no host code can read through it.
     */
    MemorySegment segment();

    /** True when the host may read and write {@link #segment()}. */
    boolean hostAddressable();

    /** True when this is page-locked host memory. */
    default boolean pinned() {
        return false;
    }

    boolean closed();

    @Override
    void close();
}
