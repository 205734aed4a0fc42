package dev.vt.api.device;

/**
 * A point in the work of a queue. An event that was never recorded counts as complete. Whoever created it closes it; closing
 * a pending one is safe and keeps the order that queues already wait for. Using it after that is an error. Any thread may
 * use it.
 */
public interface Event extends AutoCloseable {
    Device device();

    /** Says without blocking whether the work before the last record is done. */
    boolean query();

    /** Blocks the calling thread until the work before the last record is done. */
    void synchronize();

    @Override
    void close();
}
