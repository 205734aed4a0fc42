package dev.vt.model.gguf;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A position in the bytes of a GGUF file. Each read is checked against the end of the file first, and each complaint
 * names the file and what is being read. Used by one thread.
 */
final class GgufCursor {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment bytes;
    private final String file;
    private String subject = "header";
    private long at;

    GgufCursor(MemorySegment bytes, String file) {
        this.bytes = bytes;
        this.file = file;
    }

    /** Names what is read from here on, for messages. */
    void subject(String name) {
        subject = name;
    }

    long position() {
        return at;
    }

    void position(long newPosition) {
        at = newPosition;
    }

    long remaining() {
        return bytes.byteSize() - at;
    }

    byte int8() {
        need(1);
        return bytes.get(ValueLayout.JAVA_BYTE, at++);
    }

    short int16() {
        need(2);
        at += 2;
        return bytes.get(SHORT, at - 2);
    }

    int int32() {
        need(4);
        at += 4;
        return bytes.get(INT, at - 4);
    }

    long uint32() {
        return Integer.toUnsignedLong(int32());
    }

    long int64() {
        need(8);
        at += 8;
        return bytes.get(LONG, at - 8);
    }

    /** A count of things that take at least {@code leastBytes} each, so that the file can hold them. */
    int count(String what, int leastBytes, int limit) {
        long n = int64();
        if (n < 0 || n > limit) {
            throw error(what + ": expected at most " + limit + ", given " + Long.toUnsignedString(n));
        }
        if (n > remaining() / leastBytes) {
            throw error(what + ": expected at most the " + remaining() / leastBytes
                    + " that the rest of the file can hold, given " + n + "; the file is damaged or cut short");
        }
        return (int) n;
    }

    /** Steps over a string after checking its length and its encoding; the cursor is left behind it. */
    void skipString(int limit) {
        int length = count("string length", 1, limit);
        long bad = Utf8.firstInvalid(bytes, at, length);
        if (bad >= 0) {
            throw error("string: expected UTF-8, given an invalid sequence at byte " + bad + " of the file");
        }
        at += length;
    }

    /** A string whose length and encoding are checked. */
    String string(int limit) {
        long start = at;
        skipString(limit);
        return text(start);
    }

    /** The string at the cursor, which was checked before; the cursor is left behind it. */
    String checkedString() {
        long start = at;
        at += 8 + bytes.get(LONG, at);
        return text(start);
    }

    VtException error(String message) {
        return new VtException(ErrorCode.FORMAT, file + ": " + subject + ": " + message);
    }

    private String text(long start) {
        byte[] copy = new byte[(int) (at - start - 8)];
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, start + 8, copy, 0, copy.length);
        return new String(copy, StandardCharsets.UTF_8);
    }

    private void need(int count) {
        if (remaining() < count) {
            throw error("expected " + count + " more bytes at byte " + at + ", given a file of " + bytes.byteSize()
                    + " bytes; the file is cut short");
        }
    }
}
