package dev.vt.conformance.spec;

import dev.vt.api.VtException;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Sizes as people type them: {@code 3x256x40}. */
final class Sizes {
    private Sizes() {}

    static String text(long[] dims) {
        return LongStream.of(dims).mapToObj(Long::toString).collect(Collectors.joining("x"));
    }

    /** Reads sizes; {@code names} says how many and what they are. */
    static long[] parse(String what, String names, String text, String example) {
        String[] parts = text.split("x", -1);
        long[] dims = new long[parts.length];
        boolean good = parts.length == names.split("x", -1).length;
        for (int i = 0; good && i < dims.length; i++) {
            good = parts[i].matches("0|[1-9][0-9]{0,9}");
            dims[i] = good ? Long.parseLong(parts[i]) : 0;
        }
        if (!good) {
            throw VtException.invalidArgument(
                    what + ": expected sizes " + names + ", such as " + example + ", given '" + text + "'");
        }
        return dims;
    }
}
