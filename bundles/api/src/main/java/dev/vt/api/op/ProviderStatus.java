package dev.vt.api.op;

import dev.vt.api.device.Device;
import java.util.List;

/**
 * One provider on one device.
 *
 * @param name the provider's name, or what it gave for one
 * @param priority its priority
 * @param device the device
 * @param state SELECTED here means that it is selected for at least one op, BELOW that it is eligible but never first
 * @param reason why it stands there
 * @param bundle symbolic or module name of what it comes from
 * @param version version of that
 * @param ops names of the ops that it has kernels for, sorted
 */
public record ProviderStatus(
        String name,
        int priority,
        Device device,
        Selection.State state,
        String reason,
        String bundle,
        String version,
        List<String> ops) {
    public ProviderStatus {
        ops = List.copyOf(ops);
    }
}
