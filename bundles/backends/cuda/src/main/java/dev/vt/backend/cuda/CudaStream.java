package dev.vt.backend.cuda;

/**
 * A queue's stream while one thread gives work to it: from {@link CudaQueue#enter} to {@link #close}, and not to be kept.
 */
public interface CudaStream extends AutoCloseable {
    /** The native handle (CUstream). */
    long handle();

    /**
     * Address of the scratch memory that was asked for, aligned to 256 bytes; 0 where none was. It holds what earlier work of
     * the queue left in it, and work given to this stream may use it until it is done. During a capture it belongs to the graph.
     */
    long scratch();

    /** Lets other threads use the queue. */
    @Override
    void close();
}
