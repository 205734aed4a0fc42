package dev.vt.registry;

import dev.vt.api.device.Backend;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.spi.AdmissionTest;
import dev.vt.api.spi.BackendFinder;
import dev.vt.api.spi.OpProvider;
import dev.vt.registry.internal.Origin;
import dev.vt.registry.internal.Registry;
import dev.vt.registry.internal.RegistryConfig;
import dev.vt.registry.internal.Settings;
import java.lang.module.ModuleDescriptor;
import java.security.CodeSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The registry on a plain class or module path, without OSGi. {@link #load()} finds backends and providers by
 * {@link java.util.ServiceLoader}; more may be added and removed at any time. Whoever makes a runtime closes it, which removes
 * the providers, then the backends, and closes those of them that it loaded itself. Any thread may use it.
 */
public final class VtRuntime implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.vt.registry");

    private final Registry registry;
    private final Deque<Registration> loaded = new ArrayDeque<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    private VtRuntime(Settings settings) {
        registry = new Registry(settings);
    }

    /** A runtime with every backend and provider that ServiceLoader finds, steered by the environment. */
    public static VtRuntime load() {
        return load(Map.of());
    }

    /**
     * The same, configured by the keys that the configuration {@code dev.vt.registry} has under OSGi: {@code fallback},
     * {@code allow}, {@code deny}, also behind a device as in {@code cuda:0.fallback}, {@code disabled}, {@code admission} and
     * {@code admission.limit}. Where admission is on, {@code ops().awaitAdmission} waits until the providers have been tested.
     *
     * @throws dev.vt.api.VtException if a key or value is not known
     */
    public static VtRuntime load(Map<String, ?> configuration) {
        Settings environment = Settings.of(System.getenv());
        VtRuntime runtime = configured(environment, configuration);
        each(ServiceLoader.load(AdmissionTest.class), test -> runtime.loaded.push(runtime.add(test)));
        each(ServiceLoader.load(Backend.class), runtime::own);
        each(
                ServiceLoader.load(BackendFinder.class),
                finder -> finder.find(runtime.registry.backends()::report).forEach(runtime::own));
        each(ServiceLoader.load(OpProvider.class), runtime::own);
        runtime.registry.warnOfUnknown(environment.disabled());
        return runtime;
    }

    /** A runtime with nothing in it, not steered by the environment. */
    public static VtRuntime empty() {
        return empty(Map.of());
    }

    /** The same, configured as in {@link #load(Map)}. */
    public static VtRuntime empty(Map<String, ?> configuration) {
        return configured(Settings.none(), configuration);
    }

    private static VtRuntime configured(Settings environment, Map<String, ?> configuration) {
        RegistryConfig config = RegistryConfig.of(configuration);
        Set<String> off = new TreeSet<>(environment.disabled());
        off.addAll(config.disabled());
        VtRuntime runtime = new VtRuntime(environment.with(off, config.admission()));
        runtime.registry.policies(config.others(), config.named());
        return runtime;
    }

    /** One that can't be made is logged and left out; the others go on. */
    private static <S> void each(ServiceLoader<S> services, Consumer<S> action) {
        services.stream().forEach(service -> {
            try {
                action.accept(service.get());
            } catch (ServiceConfigurationError e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0} could not be made: {1}",
                        service.type().getName(),
                        e.getMessage());
            }
        });
    }

    private void own(Backend backend) {
        own(add(backend), backend, "backend " + backend.name());
    }

    private void own(OpProvider provider) {
        own(add(provider), provider, "a provider");
    }

    /** What was loaded is closed once it is removed, where it can be. */
    private void own(Registration registration, Object what, String who) {
        loaded.push(() -> {
            registration.close();
            if (what instanceof AutoCloseable closeable) {
                try {
                    closeable.close();
                } catch (Exception e) {
                    LOG.log(System.Logger.Level.WARNING, who + " could not be closed", e);
                }
            }
        });
    }

    public OpRegistry ops() {
        return registry.ops();
    }

    public BackendRegistry backends() {
        return registry.backends();
    }

    /** Adds a backend; closing the registration removes it and does not close it. */
    public Registration add(Backend backend) {
        return registry.add(backend, originOf(backend.getClass()))::remove;
    }

    /** Adds a test of providers; it is used where admission is configured. */
    public Registration add(AdmissionTest test) {
        return registry.add(test, originOf(test.getClass()))::remove;
    }

    /** Adds a provider; closing the registration removes it, and returns when no call is left inside its kernels. */
    public Registration add(OpProvider provider) {
        return registry.add(provider, originOf(provider.getClass()))::remove;
    }

    /** Adds a provider under an origin of its own, which decides between two of one name. */
    public Registration add(OpProvider provider, String bundle, String version) {
        return registry.add(
                provider, new Origin(bundle, version, "", provider.getClass().getName()))::remove;
    }

    private static Origin originOf(Class<?> type) {
        Module module = type.getModule();
        String version = module.isNamed()
                ? module.getDescriptor()
                        .version()
                        .map(ModuleDescriptor.Version::toString)
                        .orElse("0.0.0")
                : "0.0.0";
        return module.isNamed()
                ? new Origin(module.getName(), version, "", type.getName())
                : new Origin(type.getPackageName(), version, archive(type), type.getName());
    }

    /** Where a class on the class path lies. */
    private static String archive(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null || source.getLocation() == null
                ? ""
                : source.getLocation().toString();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            registry.endAdmission();
            loaded.forEach(Registration::close);
            registry.close();
        }
    }

    /** What was added; closing removes it, once. */
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
