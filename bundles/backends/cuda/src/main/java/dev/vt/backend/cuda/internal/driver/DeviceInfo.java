package dev.vt.backend.cuda.internal.driver;

import java.nio.charset.StandardCharsets;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUuuid;
import jcuda.driver.JCudaDriver;

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

    /** Asks the driver. */
    static DeviceInfo read(Codes codes, CUdevice device, int ordinal) {
        byte[] name = new byte[256];
        codes.check(JCudaDriver.cuDeviceGetName(name, name.length, device), "cuDeviceGetName");
        long[] bytes = new long[1];
        codes.check(JCudaDriver.cuDeviceTotalMem(bytes, device), "cuDeviceTotalMem");
        CUuuid uuid = new CUuuid();
        codes.check(JCudaDriver.cuDeviceGetUuid(uuid, device), "cuDeviceGetUuid");
        int end = 0;
        while (end < name.length && name[end] != 0) {
            end++;
        }
        return new DeviceInfo(
                ordinal,
                new String(name, 0, end, StandardCharsets.UTF_8).strip(),
                text(uuid.bytes),
                attribute(codes, device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                attribute(codes, device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
                attribute(codes, device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
                bytes[0],
                attribute(codes, device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0,
                attribute(codes, device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS) != 0,
                attribute(codes, device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0,
                attribute(codes, device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0);
    }

    private static String text(byte[] uuid) {
        StringBuilder s = new StringBuilder("GPU-");
        for (int i = 0; i < uuid.length; i++) {
            s.append(i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "").append(String.format("%02x", uuid[i]));
        }
        return s.toString();
    }

    private static int attribute(Codes codes, CUdevice device, int number) {
        int[] value = new int[1];
        codes.check(JCudaDriver.cuDeviceGetAttribute(value, number, device), "cuDeviceGetAttribute");
        return value[0];
    }
}
