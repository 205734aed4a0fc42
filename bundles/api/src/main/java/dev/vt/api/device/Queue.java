package dev.vt.api.device;

/**
 * An ordered stream of work on one device. Work is accepted at once and done later, in order. Failed work makes the queue
 * discard what follows until {@link #synchronize()} has reported it; then the queue is usable again. Any thread, virtual ones
 * too, may use a queue. Whoever created it closes it: closing finishes the queued work first and may be repeated.
 */
public interface Queue extends AutoCloseable {
    /** Unique in the process, from 1 on, never used again. */
    long id();

    Device device();

    /** Blocks until all work submitted so far is done, and throws what the first failed piece threw. */
    void synchronize();

    /** Makes the event complete when all work submitted so far is done. */
    void record(Event event);

    /** Makes work submitted later wait for the event; the caller does not wait. */
    void waitFor(Event event);

    /** True between the begin and the end of a capture. Asked on every dispatch: a field read. */
    boolean capturing();

    /** Tells a capture which provider's kernel was just recorded. Only the dispatcher calls this. */
    void noteOwner(KernelOwner owner);

    /**
     * Starts to record: until the capture ends, work given to this queue is kept in a graph and not done. A backend without
     * graphs throws a sentence that says so.
     */
    void beginCapture();

    /** Ends the capture; the caller owns the graph. */
    Graph endCapture();

    /** Ends the capture and keeps the graph as the one stored graph of this queue, closing an earlier one. */
    void endCaptureStored();

    /** Replays the stored graph on this queue. */
    void replayStored();

    @Override
    void close();
}
