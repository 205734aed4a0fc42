package dev.vt.registry.internal;

import dev.vt.api.spi.AdmissionTest;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether providers are tested before they may be selected.
 *
 * @param level how much is tested; empty is off
 * @param limit how long the test of one provider on one device may take
 */
public record AdmissionSettings(Optional<AdmissionTest.Level> level, Duration limit) {
    /** A quick test takes well under a second; more than this hangs. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Longest limit that can be set. */
    static final int MAX_SECONDS = 24 * 60 * 60;

    /** No tests: what holds where nothing is configured. */
    public static final AdmissionSettings OFF = new AdmissionSettings(Optional.empty(), LIMIT);

    /** Short tests. */
    static final AdmissionSettings QUICK = new AdmissionSettings(Optional.of(AdmissionTest.Level.QUICK), LIMIT);

    /** Reads {@code off}, {@code quick} or {@code full}; null for anything else. */
    public static @Nullable AdmissionSettings parse(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "off" -> OFF;
            case "quick" -> QUICK;
            case "full" -> new AdmissionSettings(Optional.of(AdmissionTest.Level.FULL), LIMIT);
            default -> null;
        };
    }

    AdmissionSettings within(Duration other) {
        return new AdmissionSettings(level, other);
    }

    /** Reads a limit in whole seconds from 1 on; null for anything else. */
    static @Nullable Duration seconds(@Nullable Object value) {
        String text = String.valueOf(value).strip();
        if (!text.matches("[0-9]{1,9}")) {
            return null;
        }
        int seconds = Integer.parseInt(text);
        return seconds < 1 || seconds > MAX_SECONDS ? null : Duration.ofSeconds(seconds);
    }
}
