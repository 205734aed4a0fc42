package dev.vt.api.device;

import dev.vt.api.VtException;
import java.util.Objects;

/**
 * One device: its type and an index. The index is a convenience of this process; {@link Backend#id()} is what stays the
 * same between processes.
 *
 * @param type kind of device
 * @param index 0 to 15
 */
public record Device(DeviceType type, int index) implements Comparable<Device> {
    /** One more than the highest index of a type. */
    public static final int LIMIT = 16;

    public Device {
        Objects.requireNonNull(type, "type");
        if (index < 0 || index >= LIMIT) {
            throw VtException.invalidArgument(
                    "device " + type + ": expected an index from 0 to " + (LIMIT - 1) + ", given " + index);
        }
    }

    /** Index 0 of a type. */
    public static Device of(DeviceType type) {
        return new Device(type, 0);
    }

    public static Device of(DeviceType type, int index) {
        return new Device(type, index);
    }

    /** A dense number for tables, below {@code DeviceType.LIMIT * LIMIT}. */
    public int number() {
        return type.number() * LIMIT + index;
    }

    @Override
    public int compareTo(Device other) {
        int byType = type.compareTo(other.type);
        return byType != 0 ? byType : Integer.compare(index, other.index);
    }

    /** The form {@code cpu:0} that commands take and print. */
    @Override
    public String toString() {
        return type + ":" + index;
    }
}
