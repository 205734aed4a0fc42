package dev.vt.natives.jcuda;

import jcuda.Pointer;

/** An address in host memory. JCuda writes into one made by {@link #HostAddress()}; immutable after that. */
public final class HostAddress extends Pointer {
    /** The null address, for a call that fills it in. */
    public HostAddress() {}

    private HostAddress(long address) {
        super(address);
    }

    /** The handle of a raw address, without the 2 GiB limit of buffers. */
    public static HostAddress of(long address) {
        return new HostAddress(address);
    }

    /** The raw address. */
    public long address() {
        return getNativePointer() + getByteOffset();
    }
}
