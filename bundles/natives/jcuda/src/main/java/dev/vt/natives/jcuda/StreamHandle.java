package dev.vt.natives.jcuda;

import jcuda.driver.CUstream;

/** A stream whose native handle other native libraries can be given. */
public final class StreamHandle extends CUstream {
    /** The default stream, until a call fills in another. */
    public StreamHandle() {}

    /** The native handle. */
    public long address() {
        return getNativePointer();
    }
}
