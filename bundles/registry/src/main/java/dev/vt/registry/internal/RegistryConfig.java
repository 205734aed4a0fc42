package dev.vt.registry.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.op.Policy;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration with PID {@code dev.vt.registry} says. Keys are {@code fallback}, {@code allow}, {@code deny} for all
 * devices, the same behind a device and a dot ({@code cuda:0.fallback}) for one, {@code disabled}, {@code admission} and
 * {@code admission.limit}. A key or value that is not known is an error.
 *
 * @param others policy of devices that are not named
 * @param named policies by device
 * @param disabled names of providers that are switched off
 * @param admission whether providers are tested
 */
public record RegistryConfig(
        Policy others, Map<String, Policy> named, Set<String> disabled, AdmissionSettings admission) {
    /** The PID. */
    public static final String PID = "dev.vt.registry";

    /** Key of how much providers are tested before they may be selected. */
    public static final String ADMISSION = "admission";

    /** Key of how many seconds a test may take. */
    public static final String ADMISSION_LIMIT = "admission.limit";

    private static final Pattern KEY = Pattern.compile("(?:([a-z][a-z0-9]*:[0-9]+)\\.)?(fallback|allow|deny)");

    /** What holds where nothing is configured. */
    public static RegistryConfig none(AdmissionSettings admission) {
        return new RegistryConfig(Policy.DEFAULT, Map.of(), Set.of(), admission);
    }

    /** Reads a configuration without which admission is off. */
    public static RegistryConfig of(Map<String, ?> properties) {
        return of(properties, AdmissionSettings.OFF);
    }

    /** Reads a configuration; keys that frameworks add are left out, and the given admission holds where it says nothing. */
    public static RegistryConfig of(Map<String, ?> properties, AdmissionSettings otherwise) {
        Map<String, Map<String, Object>> byDevice = new HashMap<>();
        Set<String> disabled = Set.of();
        AdmissionSettings admission = admission(properties, otherwise);
        for (Map.Entry<String, ?> e : properties.entrySet()) {
            String key = e.getKey();
            if (ofFramework(key) || key.equals(ADMISSION) || key.equals(ADMISSION_LIMIT)) {
                continue;
            }
            if (key.equals("disabled")) {
                disabled = names(key, e.getValue());
                continue;
            }
            Matcher m = KEY.matcher(key);
            if (!m.matches()) {
                throw wrong(
                        key,
                        "a key of fallback, allow, deny (also behind a device, as in cuda:0.fallback), disabled,"
                                + " admission or admission.limit",
                        key);
            }
            String device = m.group(1) == null ? "" : m.group(1);
            byDevice.computeIfAbsent(device, d -> new HashMap<>()).put(m.group(2), e.getValue());
        }
        Policy others = policy("", byDevice.getOrDefault("", Map.of()), Policy.DEFAULT);
        Map<String, Policy> named = new HashMap<>();
        byDevice.forEach((device, knobs) -> {
            if (!device.isEmpty()) {
                named.put(device, policy(device + ".", knobs, others));
            }
        });
        return new RegistryConfig(others, Map.copyOf(named), Set.copyOf(disabled), admission);
    }

    private static AdmissionSettings admission(Map<String, ?> properties, AdmissionSettings otherwise) {
        AdmissionSettings out = otherwise;
        if (properties.containsKey(ADMISSION)) {
            Object value = properties.get(ADMISSION);
            out = AdmissionSettings.parse(String.valueOf(value));
            if (out == null) {
                throw wrong(ADMISSION, "off, quick or full", value);
            }
        }
        if (properties.containsKey(ADMISSION_LIMIT)) {
            Object value = properties.get(ADMISSION_LIMIT);
            Duration limit = AdmissionSettings.seconds(value);
            if (limit == null) {
                throw wrong(ADMISSION_LIMIT, "whole seconds from 1 to " + AdmissionSettings.MAX_SECONDS, value);
            }
            out = out.within(limit);
        }
        return out;
    }

    private static boolean ofFramework(String key) {
        return key.startsWith("service.")
                || key.startsWith("component.")
                || key.startsWith("felix.")
                || key.startsWith(".")
                || key.startsWith("osgi.")
                || key.equals("objectClass");
    }

    private static Policy policy(String prefix, Map<String, Object> knobs, Policy base) {
        Policy.Fallback fallback =
                knobs.containsKey("fallback") ? fallback(prefix + "fallback", knobs.get("fallback")) : base.fallback();
        Set<String> allow = knobs.containsKey("allow") ? names(prefix + "allow", knobs.get("allow")) : base.allow();
        Set<String> deny = knobs.containsKey("deny") ? names(prefix + "deny", knobs.get("deny")) : base.deny();
        return new Policy(fallback, allow, deny);
    }

    private static Policy.Fallback fallback(String key, @Nullable Object value) {
        for (Policy.Fallback f : Policy.Fallback.values()) {
            if (f.label().equals(String.valueOf(value).toLowerCase(Locale.ROOT).strip())) {
                return f;
            }
        }
        throw wrong(key, "allow, reference-off or strict", value);
    }

    private static Set<String> names(String key, @Nullable Object value) {
        Set<String> out = switch (value) {
            case String s -> Settings.names(s);
            case String[] array -> new LinkedHashSet<>(Arrays.asList(array));
            case Iterable<?> list -> {
                Set<String> names = new LinkedHashSet<>();
                list.forEach(o -> names.add(String.valueOf(o)));
                yield names;
            }
            case null, default -> throw wrong(key, "provider names, separated by commas", value);
        };
        for (String name : out) {
            if (Names.fault(name) != null) {
                throw wrong(key, "provider names of 1 to 63 characters [a-z0-9.-]", name);
            }
        }
        return new TreeSet<>(out);
    }

    private static VtException wrong(String key, String expected, @Nullable Object given) {
        return new VtException(
                ErrorCode.CONFIGURATION,
                "configuration " + PID + ", key " + key + ": expected " + expected + ", given '" + given
                        + "'; the configuration before it stays in force");
    }
}
