package dev.vt.api.registry;

import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/** Finds the backend of a device. Backends come and go as services; any thread may ask. */
@ProviderType
public interface BackendRegistry {
    /**
     * The backend of a device.
     *
     * @throws VtException that says which devices there are
     */
    Backend get(Device device);

    Optional<Backend> tryGet(Device device);

    /** The backend of index 0 of a type. */
    default Backend get(DeviceType type) {
        return get(Device.of(type));
    }

    default Optional<Backend> tryGet(DeviceType type) {
        return tryGet(Device.of(type));
    }

    /**
     * Finds a device by text: {@code cpu}, {@code cuda:1}, or the stable id of a device that is present.
     *
     * @throws VtException that says what is wrong and which devices there are
     */
    Device parse(String text);

    /** The winning backends, sorted by device. */
    List<Backend> backends();

    /** Present devices and those that a backend reported as absent or failed, sorted. */
    List<BackendStatus> statuses();

    /** Called by a backend bundle that found no device or whose device failed: shown until the backend registers or forgets it. */
    void report(BackendStatus status);

    /** Takes back a report. */
    void forget(Device device, String backend);
}
