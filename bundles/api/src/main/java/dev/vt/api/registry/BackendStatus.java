package dev.vt.api.registry;

import dev.vt.api.device.Device;

/**
 * One line about a device that is there, or about one that a backend looked for and did not find.
 *
 * @param device the device
 * @param state whether it can be used
 * @param backend name of the backend
 * @param reason why it is absent or failed, else empty
 */
public record BackendStatus(Device device, State state, String backend, String reason) {
    /** Whether a device can be used. */
    public enum State {
        PRESENT,
        ABSENT,
        FAILED;

        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }
}
