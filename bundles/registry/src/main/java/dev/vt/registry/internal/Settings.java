package dev.vt.registry.internal;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the environment says at start.
 *
 * @param disabled provider names that are off from the start
 * @param stats count calls and print a line for each selection
 * @param trace file to append a line to for each execution and decline, or null
 * @param admission whether providers are tested; the environment does not say
 */
public record Settings(
        Set<String> disabled, boolean stats, @Nullable String trace, AdmissionSettings admission) {
    /** Names of providers to disable at start, separated by commas. */
    public static final String DISABLE = "VT_OP_PROVIDER_DISABLE";

    /** 1 switches statistics on. */
    public static final String STATS = "VT_OP_PROVIDER_STATS";

    /** File for the trace. */
    public static final String TRACE = "VT_OP_PROVIDER_TRACE";

    public Settings {
        disabled = Set.copyOf(disabled);
    }

    /** No admission. */
    public Settings(Set<String> disabled, boolean stats, @Nullable String trace) {
        this(disabled, stats, trace, AdmissionSettings.OFF);
    }

    public static Settings none() {
        return new Settings(Set.of(), false, null);
    }

    public static Settings of(Map<String, String> environment) {
        String trace = environment.getOrDefault(TRACE, "").strip();
        return new Settings(
                names(environment.getOrDefault(DISABLE, "")),
                environment.getOrDefault(STATS, "").strip().equals("1"),
                trace.isEmpty() ? null : trace);
    }

    /** The same, with other names switched off and another admission. */
    public Settings with(Set<String> off, AdmissionSettings tested) {
        return new Settings(off, stats, trace, tested);
    }

    /** Splits at commas, trims blanks, skips empty items. */
    static Set<String> names(String list) {
        Set<String> out = new LinkedHashSet<>();
        for (String item : list.split(",", -1)) {
            String name = item.strip();
            if (!name.isEmpty()) {
                out.add(name);
            }
        }
        return out;
    }
}
