package dev.vt.model.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Checks UTF-8 in place, without making strings. Stateless. */
final class Utf8 {
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private Utf8() {}

    /** The position of the first byte that starts no well-formed sequence (Unicode table 3-7), or -1. */
    static long firstInvalid(MemorySegment bytes, long start, long length) {
        long end = start + length;
        long i = start;
        while (i < end) {
            if (end - i >= 8 && (bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, i) & HIGH_BITS) == 0) {
                i += 8;
                continue;
            }
            int size = sequence(bytes, i, end);
            if (size == 0) {
                return i;
            }
            i += size;
        }
        return -1;
    }

    /** Bytes of the well-formed sequence at {@code i}, or 0. */
    private static int sequence(MemorySegment bytes, long i, long end) {
        int b = at(bytes, i);
        if (b < 0x80) {
            return 1;
        }
        int size = b >= 0xC2 && b <= 0xDF ? 2 : b >= 0xE0 && b <= 0xEF ? 3 : b >= 0xF0 && b <= 0xF4 ? 4 : 0;
        if (size == 0 || end - i < size) {
            return 0;
        }
        // The second byte's range excludes overlong forms, surrogates and what lies above U+10FFFF.
        int low = b == 0xE0 ? 0xA0 : b == 0xF0 ? 0x90 : 0x80;
        int high = b == 0xED ? 0x9F : b == 0xF4 ? 0x8F : 0xBF;
        int second = at(bytes, i + 1);
        if (second < low || second > high) {
            return 0;
        }
        for (int k = 2; k < size; k++) {
            if ((at(bytes, i + k) & 0xC0) != 0x80) {
                return 0;
            }
        }
        return size;
    }

    private static int at(MemorySegment bytes, long i) {
        return Byte.toUnsignedInt(bytes.get(ValueLayout.JAVA_BYTE, i));
    }
}
