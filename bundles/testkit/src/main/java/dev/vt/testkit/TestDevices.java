package dev.vt.testkit;

import dev.vt.api.device.DeviceType;

/** The kinds of devices that only exist in tests. Their numbers are outside of those given out to real ones. */
public final class TestDevices {
    /** Host and device share one memory, and the host can address it. */
    public static final DeviceType UNIFIED = new DeviceType("uni", 8);

    /** The device has memory of its own that Java can't look into. */
    public static final DeviceType DISCRETE = new DeviceType("disc", 9);

    private TestDevices() {}

    /** Describes a device whose memory the host shares and addresses. */
    public static DeviceDouble.Builder unified() {
        return new DeviceDouble.Builder(UNIFIED).unifiedMemory(true).hostAddressable(true);
    }

    /** Describes a device with memory of its own. */
    public static DeviceDouble.Builder discrete() {
        return new DeviceDouble.Builder(DISCRETE).unifiedMemory(false).hostAddressable(false);
    }
}
