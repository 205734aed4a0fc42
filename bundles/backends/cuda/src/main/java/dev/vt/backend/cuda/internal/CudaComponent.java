package dev.vt.backend.cuda.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.registry.BackendStatus;
import dev.vt.api.registry.BackendStatus.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * Publishes one {@link Backend} service for each CUDA device, and takes back the one of a device that fails. The framework
 * owns it. Its end takes the services back first, which waits for calls that are under way, and then closes the devices.
 */
@Component(
        service = {},
        immediate = true)
public final class CudaComponent {
    /** Finds the services of this component. */
    static final String TARGET = "(vt.backend.type=cuda)";

    private static final String TYPE = "vt.backend.type";

    private final BackendRegistry registry;
    private final List<Backend> backends = new ArrayList<>();
    private final Map<Device, ServiceRegistration<Backend>> services = new ConcurrentHashMap<>();
    private final Map<Device, BackendStatus> reported = new ConcurrentHashMap<>();

    @Activate
    public CudaComponent(BundleContext context, @Reference BackendRegistry registry) {
        this.registry = registry;
        backends.addAll(new CudaFinder().find(this::report));
        for (Backend backend : backends) {
            services.put(
                    backend.device(),
                    context.registerService(
                            Backend.class, backend, FrameworkUtil.asDictionary(Map.of(TYPE, CudaBackend.NAME))));
        }
    }

    private void report(BackendStatus status) {
        reported.put(status.device(), status);
        registry.report(status);
        if (status.state() == State.FAILED) {
            withdraw(status.device());
        }
    }

    private void withdraw(Device device) {
        ServiceRegistration<Backend> service = services.remove(device);
        if (service != null) {
            service.unregister();
        }
    }

    @Deactivate
    void deactivate() throws Exception {
        backends.forEach(backend -> withdraw(backend.device()));
        for (Backend backend : backends) {
            if (backend instanceof AutoCloseable closeable) {
                closeable.close();
            }
        }
        reported.values().forEach(status -> registry.forget(status.device(), status.backend()));
    }
}
