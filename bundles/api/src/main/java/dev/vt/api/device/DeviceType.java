package dev.vt.api.device;

import dev.vt.api.VtException;
import java.util.Objects;

/**
 * A kind of device, such as {@code cuda}. The set is open: a backend for a new kind brings its own constant. The number
 * is a dense index for tables (0 to 15); it never decides an order. Two types are equal when both parts are.
 *
 * @param name lower-case name, {@code [a-z][a-z0-9]*}, at most 15 characters
 * @param number dense number, 0 to 15, unique among the backends of a process; 0 to 7 are given out here
 */
public record DeviceType(String name, int number) implements Comparable<DeviceType> {
    /** The numbers are those of the C header that this runtime's vocabulary comes from. */
    public static final DeviceType CPU = new DeviceType("cpu", 0);

    public static final DeviceType CUDA = new DeviceType("cuda", 1);
    public static final DeviceType METAL = new DeviceType("metal", 2);
    public static final DeviceType VULKAN = new DeviceType("vulkan", 3);

    /** One more than the highest number. */
    public static final int LIMIT = 16;

    public DeviceType {
        Objects.requireNonNull(name, "name");
        if (!name.matches("[a-z][a-z0-9]{0,14}")) {
            throw VtException.invalidArgument(
                    "device type: expected a name of 1 to 15 characters [a-z0-9] that starts with a letter, given '"
                            + name + "'");
        }
        if (number < 0 || number >= LIMIT) {
            throw VtException.invalidArgument(
                    "device type " + name + ": expected a number from 0 to " + (LIMIT - 1) + ", given " + number);
        }
    }

    @Override
    public int compareTo(DeviceType other) {
        int byName = name.compareTo(other.name);
        return byName != 0 ? byName : Integer.compare(number, other.number);
    }

    @Override
    public String toString() {
        return name;
    }
}
