package dev.vt.registry.internal;

import java.util.Comparator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rule for names of providers and backends, and their order. */
final class Names {
    /** The order of UTF-8 bytes, which is the order of code points. */
    static final Comparator<String> UTF8_ORDER = Names::compare;

    private static final Pattern NAME = Pattern.compile("[a-z0-9.-]{1,63}");

    private Names() {}

    /** What is wrong with a name, or null. */
    static @Nullable String fault(@Nullable String name) {
        if (name == null) {
            return "its name is null";
        }
        if (!NAME.matcher(name).matches()) {
            return "its name '" + name + "' is not 1 to 63 characters of [a-z0-9.-]";
        }
        return null;
    }

    private static int compare(String a, String b) {
        int n = Math.min(a.length(), b.length());
        int i = 0;
        while (i < n) {
            int x = a.codePointAt(i);
            int y = b.codePointAt(i);
            if (x != y) {
                return Integer.compare(x, y);
            }
            i += Character.charCount(x);
        }
        return Integer.compare(a.length(), b.length());
    }
}
