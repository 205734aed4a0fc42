package dev.vt.registry.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Policy;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.spi.AdmissionTest;
import dev.vt.api.spi.OpProvider;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One whole registry: what the adapters (OSGi, ServiceLoader, tests) put in and take out, and the two interfaces that callers use.
 * Any thread may call it.
 */
public final class Registry implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.vt.registry");

    private final SelectionCore core;
    private final OpRegistryImpl ops;
    private final BackendRegistryImpl backends;

    public Registry(Settings settings) {
        this.core = new SelectionCore(settings);
        this.ops = new OpRegistryImpl(core);
        this.backends = new BackendRegistryImpl(core);
    }

    public OpRegistry ops() {
        return ops;
    }

    public BackendRegistry backends() {
        return backends;
    }

    /** What was put in. */
    public interface Handle {
        /** Takes it out again; a second call does nothing. */
        void remove();

        /** New service properties of a provider. */
        default void modify(Map<String, @Nullable Object> properties) {}
    }

    public Handle add(Backend backend, Origin origin) {
        BackendEntry entry = core.add(backend, origin);
        return () -> core.remove(entry);
    }

    public Handle add(ProviderSource source) {
        ProviderEntry entry = core.add(source);
        return new Handle() {
            @Override
            public void remove() {
                core.remove(entry);
            }

            @Override
            public void modify(Map<String, @Nullable Object> properties) {
                core.modify(entry, properties);
            }
        };
    }

    /** Adds a provider that is there already. */
    public Handle add(OpProvider provider, Origin origin) {
        return add(new ProviderSource() {
            @Override
            public Map<String, @Nullable Object> properties() {
                return Map.of();
            }

            @Override
            public Origin origin() {
                return origin;
            }

            @Override
            public OpProvider instance() {
                return provider;
            }
        });
    }

    public Handle add(AdmissionTest test, Origin origin) {
        Trial.Kit kit = core.add(test, origin);
        AtomicBoolean removed = new AtomicBoolean();
        return () -> {
            if (removed.compareAndSet(false, true)) {
                core.remove(kit);
            }
        };
    }

    /** Sets whether providers are tested. */
    public void admission(AdmissionSettings settings) {
        core.admission(settings);
    }

    /** Ends all admission tests; the first thing to do when providers are about to go. */
    public void endAdmission() {
        core.admission.close();
    }

    /** Replaces all policies: one for devices that are not named, and one for each that is, by its text ({@code cuda:0}). */
    public void policies(Policy others, Map<String, Policy> named) {
        core.policies(others, named);
    }

    /** Warns of names given at start that no provider has: a typing error must not pass in silence. */
    public void warnOfUnknown(Set<String> names) {
        for (String name : new TreeSet<>(names)) {
            if (core.entries().stream().noneMatch(e -> e.name().equals(name)) && !name.equals(OpProvider.REFERENCE)) {
                LOG.log(
                        Level.WARNING,
                        "{0} names ''{1}'', and no provider has this name; present are {2}",
                        Settings.DISABLE,
                        name,
                        String.join(
                                ", ",
                                new TreeSet<>(core.entries().stream()
                                        .map(ProviderEntry::name)
                                        .toList())));
            }
        }
    }

    @Override
    public void close() {
        core.admission.close();
        core.watch.close();
    }
}
