package dev.vt.backend.cuda;

/**
 * One open CUDA device, as native libraries need it that keep something for a device. The backend owns it; any thread may call it.
 */
public interface CudaContext {
    /**
     * Makes the device's context current on the calling thread, for native calls right behind this one; what blocks in between may
     * lose it. False when the device has failed or its backend is closed: what was made for the device has gone with it.
     */
    boolean enter();

    /**
     * Does work that would break a capture, such as giving a library back, which waits for the device: once no queue of the device
     * captures, a limited wait; captures that are begun meanwhile wait until it is done. Not from inside a capture.
     */
    void betweenCaptures(Runnable work);
}
