package dev.vt.api.spi;

import dev.vt.api.device.Backend;
import dev.vt.api.registry.BackendStatus;
import java.util.List;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Makes the backends of a kind of device that a machine may have none or several of. Provide it to
 * {@link java.util.ServiceLoader} for a plain module path; under OSGi a bundle registers one {@link Backend} service a device
 * instead. Whoever calls {@link #find} closes those of the backends that can be closed.
 */
@ConsumerType
public interface BackendFinder {
    /**
     * Looks for devices and opens them. It never throws for want of a driver or device, and logs at most one line for it.
     *
     * @param statuses is told of each device that is absent, with the reason, and later, on any thread, of each that has failed
     * @return the backends, sorted by device; empty when there is no device
     */
    List<Backend> find(Consumer<BackendStatus> statuses);
}
