package dev.vt.registry.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import org.jspecify.annotations.Nullable;

/** Reads a priority from a service property: an int, a long in the range of int, or numeric text. */
final class Priorities {
    private Priorities() {}

    static int parse(@Nullable Object value) {
        if (value instanceof Integer i) {
            return i;
        }
        if (value instanceof Long l && l == l.intValue()) {
            return l.intValue();
        }
        if (value instanceof String s) {
            try {
                return Integer.parseInt(s.strip());
            } catch (NumberFormatException e) {
                throw refused(value, e);
            }
        }
        throw refused(value, null);
    }

    private static VtException refused(@Nullable Object value, @Nullable Throwable cause) {
        String given = value == null
                ? "null"
                : "'" + (value.getClass().isArray() ? "an array" : value) + "' ("
                        + value.getClass().getSimpleName() + ")";
        return new VtException(
                ErrorCode.CONFIGURATION,
                "its priority: expected an int, a long in the range of int, or numeric text, given " + given,
                cause);
    }
}
