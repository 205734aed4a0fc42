package dev.vt.backend.cuda.internal.driver;

/**
 * What the driver says about a device.
 *
 * @param ordinal the driver's number in this process
 * @param name the product's name
 * @param uuid the stable identity, in the form {@code GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}
 * @param major compute capability
 * @param minor compute capability
 * @param units number of multiprocessors
 * @param bytes size of its memory
 * @param integrated host and device share one memory
 * @param pageable the device reads ordinary host memory
 * @param pools the device allocates in the order of a stream
 * @param cooperative a launch may ask that all its blocks run at once
 */
public record DeviceInfo(
        int ordinal,
        String name,
        String uuid,
        int major,
        int minor,
        int units,
        long bytes,
        boolean integrated,
        boolean pageable,
        boolean pools,
        boolean cooperative) {
    /** Compute capability as one number, for comparing: 9.0 is 90, 10.3 is 103. */
    public int capability() {
        return 10 * major + minor;
    }
}
