package dev.vt.registry.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.spi.AdmissionTest;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.spi.OpProviderProperties;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.util.tracker.ServiceTracker;
import org.osgi.util.tracker.ServiceTrackerCustomizer;

/**
 * Connects the registry with OSGi: services of type {@link OpProvider} and {@link Backend} go in and out, configuration is applied,
 * and {@link OpRegistry} and {@link BackendRegistry} are published. A tracker, not a reference, since a provider must not be made
 * before it is known that it is not disabled. The framework tells of a leaving service before its component is deactivated, and
 * waits for the answer: that is what holds a provider until its last call is done.
 */
@Component(
        service = {},
        immediate = true,
        configurationPid = RegistryConfig.PID)
public final class RegistryComponent {
    /** Framework property that says how much providers are tested where the configuration does not. */
    static final String ADMISSION = "vt.admission";

    private static final Logger LOG = System.getLogger("dev.vt.registry");

    private final BundleContext context;
    private final Registry registry;
    private final ServiceTracker<OpProvider, Registry.Handle> providers;
    private final ServiceTracker<Backend, Registry.Handle> backends;
    private final ServiceTracker<AdmissionTest, Registry.Handle> tests;
    private final AdmissionSettings admission;
    private final ServiceRegistration<OpRegistry> ops;
    private final ServiceRegistration<BackendRegistry> devices;
    private Set<String> configuredDisabled;

    @Activate
    public RegistryComponent(BundleContext context, Map<String, Object> properties) {
        this.context = context;
        Settings environment = Settings.of(System.getenv());
        admission = admission(context.getProperty(ADMISSION));
        RegistryConfig config = read(properties, admission);
        Set<String> off = new HashSet<>(environment.disabled());
        off.addAll(config.disabled());
        configuredDisabled = config.disabled();
        registry = new Registry(environment.with(off, config.admission()));
        registry.policies(config.others(), config.named());
        backends = new ServiceTracker<>(context, Backend.class, new BackendCustomizer());
        providers = new ServiceTracker<>(context, OpProvider.class, new ProviderCustomizer());
        tests = new ServiceTracker<>(context, AdmissionTest.class, new AdmissionTestCustomizer());
        ops = context.registerService(OpRegistry.class, registry.ops(), null);
        devices = context.registerService(BackendRegistry.class, registry.backends(), null);
        tests.open();
        backends.open();
        providers.open();
        Set<String> named = environment.disabled();
        if (context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).getState() == Bundle.ACTIVE) {
            registry.warnOfUnknown(named);
        } else {
            context.addFrameworkListener(event -> {
                if (event.getType() == FrameworkEvent.STARTED) {
                    registry.warnOfUnknown(named);
                }
            });
        }
    }

    private static RegistryConfig read(Map<String, Object> properties, AdmissionSettings otherwise) {
        try {
            return RegistryConfig.of(properties, otherwise);
        } catch (VtException e) {
            LOG.log(Level.ERROR, e.getMessage());
            return RegistryConfig.none(otherwise);
        }
    }

    /** What the framework property says; who wrote something that can't be read wanted tests rather than none. */
    private static AdmissionSettings admission(@Nullable String text) {
        AdmissionSettings given = text == null ? AdmissionSettings.OFF : AdmissionSettings.parse(text);
        if (given != null) {
            return given;
        }
        LOG.log(
                Level.ERROR,
                "framework property {0}: expected off, quick or full, given ''{1}''; it counts as quick",
                ADMISSION,
                text);
        return AdmissionSettings.QUICK;
    }

    @Modified
    synchronized void modified(Map<String, Object> properties) {
        RegistryConfig config;
        try {
            config = RegistryConfig.of(properties, admission);
        } catch (VtException e) {
            LOG.log(Level.ERROR, e.getMessage());
            return;
        }
        registry.policies(config.others(), config.named());
        registry.admission(config.admission());
        for (String name : config.disabled()) {
            if (!configuredDisabled.contains(name)) {
                registry.ops().disable(name);
            }
        }
        for (String name : configuredDisabled) {
            if (!config.disabled().contains(name)) {
                registry.ops().enable(name);
            }
        }
        configuredDisabled = config.disabled();
    }

    @Deactivate
    void deactivate() {
        ops.unregister();
        devices.unregister();
        registry.endAdmission();
        providers.close();
        backends.close();
        tests.close();
        registry.close();
    }

    private static Origin origin(ServiceReference<?> reference) {
        Object component = reference.getProperty("component.name");
        return new Origin(
                Objects.requireNonNullElse(reference.getBundle().getSymbolicName(), "?"),
                reference.getBundle().getVersion().toString(),
                reference.getBundle().getLocation(),
                component == null ? "" : component.toString());
    }

    private final class BackendCustomizer implements ServiceTrackerCustomizer<Backend, Registry.Handle> {
        @Override
        public Registry.@Nullable Handle addingService(ServiceReference<Backend> reference) {
            Backend backend = context.getService(reference);
            if (backend == null) {
                return null;
            }
            try {
                return registry.add(backend, origin(reference));
            } catch (RuntimeException | LinkageError e) {
                LOG.log(
                        Level.WARNING,
                        "a backend of {0} is left out: {1}",
                        reference.getBundle().getSymbolicName(),
                        e);
                context.ungetService(reference);
                return null;
            }
        }

        @Override
        public void modifiedService(ServiceReference<Backend> reference, Registry.Handle handle) {}

        @Override
        public void removedService(ServiceReference<Backend> reference, Registry.Handle handle) {
            handle.remove();
            context.ungetService(reference);
        }
    }

    private final class AdmissionTestCustomizer implements ServiceTrackerCustomizer<AdmissionTest, Registry.Handle> {
        @Override
        public Registry.@Nullable Handle addingService(ServiceReference<AdmissionTest> reference) {
            AdmissionTest test = context.getService(reference);
            return test == null ? null : registry.add(test, origin(reference));
        }

        @Override
        public void modifiedService(ServiceReference<AdmissionTest> reference, Registry.Handle handle) {}

        @Override
        public void removedService(ServiceReference<AdmissionTest> reference, Registry.Handle handle) {
            handle.remove();
            context.ungetService(reference);
        }
    }

    private final class ProviderCustomizer implements ServiceTrackerCustomizer<OpProvider, Registry.Handle> {
        @Override
        public Registry.Handle addingService(ServiceReference<OpProvider> reference) {
            return registry.add(new ServiceSource(context, reference));
        }

        @Override
        public void modifiedService(ServiceReference<OpProvider> reference, Registry.Handle handle) {
            handle.modify(ServiceSource.properties(reference));
        }

        @Override
        public void removedService(ServiceReference<OpProvider> reference, Registry.Handle handle) {
            handle.remove();
        }
    }

    /** A provider that is a service. */
    private record ServiceSource(BundleContext context, ServiceReference<OpProvider> reference)
            implements ProviderSource {
        static Map<String, @Nullable Object> properties(ServiceReference<?> reference) {
            Map<String, @Nullable Object> out = new HashMap<>();
            for (String key : reference.getPropertyKeys()) {
                if (key.startsWith(OpProviderProperties.PREFIX_)) {
                    out.put(key, reference.getProperty(key));
                }
            }
            return out;
        }

        @Override
        public Map<String, @Nullable Object> properties() {
            return properties(reference);
        }

        @Override
        public Origin origin() {
            return RegistryComponent.origin(reference);
        }

        @Override
        public OpProvider instance() {
            OpProvider provider = context.getService(reference);
            if (provider == null) {
                throw new IllegalStateException("its component could not be activated; the log says why");
            }
            return provider;
        }

        @Override
        public void release() {
            context.ungetService(reference);
        }
    }
}
