package dev.vt.natives.jcuda;

import jcuda.driver.CUdeviceptr;

/** An address in device memory. JCuda writes into one made by {@link #DeviceAddress()}; immutable after that. */
public final class DeviceAddress extends CUdeviceptr {
    /** The null address, for a call that fills it in. */
    public DeviceAddress() {}

    private DeviceAddress(long address) {
        super(new CUdeviceptr(), address);
    }

    /** The handle of a raw address. */
    public static DeviceAddress of(long address) {
        return new DeviceAddress(address);
    }

    /** The raw address. */
    public long address() {
        return getNativePointer() + getByteOffset();
    }
}
