package dev.vt.api.spi;

import dev.vt.api.device.DeviceType;
import dev.vt.api.device.ProviderCaps;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A named set of kernels for one type of device. Register it as a service (in OSGi) or provide it to
 * {@link java.util.ServiceLoader} (on a plain module path). The registry asks each method once when the provider arrives, never
 * on a call; a method that throws gets this provider rejected with the reason and nobody else.
 */
@ConsumerType
public interface OpProvider {
    /** The name of a backend's own kernels. */
    String NATIVE = "vt-native";

    /** The name of the CPU's kernels lent to another device; nobody may register under it. */
    String REFERENCE = "vt-cpu-ref";

    /** The priority of {@link #REFERENCE}. */
    int REFERENCE_PRIORITY = -1000;

    /** Stable identity, 1 to 63 characters {@code [a-z0-9.-]}. */
    String name();

    /** Higher wins; names break ties. The service property {@code vt.provider.priority} overrides it. */
    int priority();

    DeviceType deviceType();

    /**
     * Says whether this provider can run on a device at all. Must be cheap and free of side effects. Asked once per device and
     * publication of caps.
     */
    default boolean supports(ProviderCaps caps) {
        return true;
    }

    /** What is needed, in a few words, for {@code vt:why} when {@link #supports} says no; it goes behind "needs". */
    default String requirement() {
        return "what supports() asks for";
    }

    /** The kernels. */
    KernelSet kernels();
}
