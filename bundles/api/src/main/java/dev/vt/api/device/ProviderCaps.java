package dev.vt.api.device;

import java.util.Objects;

/**
 * What a device can do, in terms that every kind of device shares. A provider's predicate sees this record and nothing
 * else. The meaning of the feature bits belongs to the backend that publishes them, which names them in one public place.
 *
 * @param device the device that this describes
 * @param valid false until a backend has published real values; a predicate that needs them then answers false
 * @param major compute capability, 0 where the notion is absent
 * @param minor compute capability, 0 where the notion is absent
 * @param units number of compute units (cores, multiprocessors)
 * @param features 64 bits defined by the backend
 */
public record ProviderCaps(Device device, boolean valid, int major, int minor, int units, long features) {
    public ProviderCaps {
        Objects.requireNonNull(device, "device");
    }

    /** What holds for a device before its backend has published anything. */
    public static ProviderCaps unknown(Device device) {
        return new ProviderCaps(device, false, 0, 0, 0, 0L);
    }

    /** Says whether all the given bits are set. */
    public boolean has(long bits) {
        return (features & bits) == bits;
    }

    /** Compares the capability as two numbers, so that 10.0 is above 9.0. */
    public boolean atLeast(int wantedMajor, int wantedMinor) {
        return major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
    }

    /** The short form of statistics lines: {@code 9.0/valid}. */
    public String brief() {
        return major + "." + minor + (valid ? "/valid" : "/invalid");
    }
}
