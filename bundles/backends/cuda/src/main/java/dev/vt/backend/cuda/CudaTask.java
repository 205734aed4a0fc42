package dev.vt.backend.cuda;

/** Gives work to a stream, by calls of a native library. */
@FunctionalInterface
public interface CudaTask {
    /**
     * Called at once, on the calling thread, with the device's context current. It must not wait for the stream, nor call this
     * queue.
     *
     * @param stream the native handle (CUstream)
     */
    void run(long stream);
}
