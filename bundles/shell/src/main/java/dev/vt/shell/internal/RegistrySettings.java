package dev.vt.shell.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.op.Policy;
import java.io.IOException;
import java.util.Arrays;
import java.util.Dictionary;
import java.util.Hashtable;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;

/**
 * The part of the registry's configuration that commands keep: written through ConfigurationAdmin, which tells the
 * registry and saves it. Without ConfigurationAdmin reading gives nothing and writing is an error. Any thread; writing
 * is one at a time.
 */
final class RegistrySettings {
    /** The registry's PID. */
    static final String PID = "dev.vt.registry";

    private static final String DISABLED = "disabled";

    private final @Nullable ConfigurationAdmin admin;

    RegistrySettings(@Nullable ConfigurationAdmin admin) {
        this.admin = admin;
    }

    /** Names that are off after a restart, sorted. */
    Set<String> disabled() {
        return admin == null ? Set.of() : names(properties(configuration(admin)).get(DISABLED));
    }

    /** Keeps that a provider is off, or on. */
    synchronized void disabled(String name, boolean off) {
        Configuration configuration = configuration(needed());
        Dictionary<String, Object> properties = properties(configuration);
        Set<String> names = names(properties.get(DISABLED));
        if (off ? names.add(name) : names.remove(name)) {
            properties.put(DISABLED, names.toArray(String[]::new));
            update(configuration, properties);
        }
    }

    /** Keeps the policy of one device, or of all that have none of their own. */
    synchronized void policy(@Nullable Device device, Policy policy) {
        Configuration configuration = configuration(needed());
        Dictionary<String, Object> properties = properties(configuration);
        String prefix = device == null ? "" : device + ".";
        properties.put(prefix + "fallback", policy.fallback().label());
        properties.put(prefix + "allow", new TreeSet<>(policy.allow()).toArray(String[]::new));
        properties.put(prefix + "deny", new TreeSet<>(policy.deny()).toArray(String[]::new));
        update(configuration, properties);
    }

    private ConfigurationAdmin needed() {
        if (admin == null) {
            throw VtException.unsupported("--persist: no ConfigurationAdmin service is here, so nothing can be kept");
        }
        return admin;
    }

    private static Configuration configuration(ConfigurationAdmin admin) {
        try {
            // The question mark lets the registry's bundle, not ours, receive it.
            return admin.getConfiguration(PID, "?");
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static Dictionary<String, Object> properties(Configuration configuration) {
        return Objects.requireNonNullElseGet(configuration.getProperties(), Hashtable::new);
    }

    private static void update(Configuration configuration, Dictionary<String, Object> properties) {
        try {
            configuration.update(properties);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static VtException unreadable(IOException e) {
        return new VtException(
                ErrorCode.CONFIGURATION, "configuration " + PID + " can't be read or written: " + e.getMessage(), e);
    }

    private static Set<String> names(@Nullable Object value) {
        return switch (value) {
            case null -> new TreeSet<>();
            case String[] array -> new TreeSet<>(Arrays.asList(array));
            default -> {
                Set<String> out = new TreeSet<>();
                for (String item : value.toString().split(",")) {
                    if (!item.isBlank()) {
                        out.add(item.strip());
                    }
                }
                yield out;
            }
        };
    }
}
