package dev.vt.provider.vector.internal;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * Random data of each element type, and what one element of it is worth, read straight from the description of the
 * format.
 */
final class Encoded {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Encoded() {}

    /** Fills a row with values of about -1 to 1. */
    static void fill(DType type, MemorySegment s, long at, long elements, SplittableRandom random) {
        switch (type) {
            case F32 -> plain(s, at, elements, 4, random);
            case F16, BF16 -> plain(s, at, elements, 2, random);
            default -> blocks(type, s, at, elements, random);
        }
        if (type == DType.F16) {
            for (long i = 0; i < elements; i++) {
                s.set(SHORT, at + 2 * i, Float.floatToFloat16((float) random.nextDouble(-1, 1)));
            }
        }
    }

    private static void plain(MemorySegment s, long at, long elements, int bytes, SplittableRandom random) {
        for (long i = 0; i < elements; i++) {
            float value = (float) random.nextDouble(-1, 1);
            if (bytes == 4) {
                s.set(FLOAT, at + 4 * i, value);
            } else {
                s.set(SHORT, at + 2 * i, (short) (Float.floatToRawIntBits(value) >> 16));
            }
        }
    }

    private static void blocks(DType type, MemorySegment s, long at, long elements, SplittableRandom random) {
        long blocks = elements / type.blockElements();
        for (long b = 0; b < blocks; b++) {
            long start = at + b * type.blockBytes();
            for (int i = 0; i < type.blockBytes(); i++) {
                s.set(ValueLayout.JAVA_BYTE, start + i, (byte) random.nextInt());
            }
            short scale = Float.floatToFloat16((float) random.nextDouble(-0.01, 0.01));
            s.set(SHORT, start + (type == DType.Q6_K ? 208 : 0), scale);
            if (type == DType.Q4_K) {
                s.set(SHORT, start + 2, Float.floatToFloat16((float) random.nextDouble(-0.01, 0.01)));
            }
        }
    }

    /** The value of element {@code i} of a row. */
    static double value(DType type, MemorySegment s, long at, long i) {
        long block = at + i / type.blockElements() * type.blockBytes();
        int e = (int) (i % type.blockElements());
        return switch (type) {
            case F32 -> s.get(FLOAT, block);
            case F16 -> Float.float16ToFloat(s.get(SHORT, block));
            case BF16 -> Float.intBitsToFloat(s.get(SHORT, block) << 16);
            case Q8_0 -> half(s, block) * s.get(ValueLayout.JAVA_BYTE, block + 2 + e);
            case Q4_0 -> half(s, block) * (nibble(u8(s, block + 2 + e % 16), e / 16) - 8);
            case Q4_K -> q4k(s, block, e);
            case Q6_K -> q6k(s, block, e);
            default -> throw new AssertionError(type);
        };
    }

    private static double q4k(MemorySegment s, long block, int e) {
        // 6-bit scales and minima: entries 0..3 in bytes 0..3 and 4..7; of entries 4..7 the low four bits in bytes
        // 8..11 (scale low, minimum high nibble), the high two bits above the six bits of entries 0..3.
        int g = e / 32;
        int scale;
        int min;
        if (g < 4) {
            scale = u8(s, block + 4 + g) % 64;
            min = u8(s, block + 8 + g) % 64;
        } else {
            scale = u8(s, block + 8 + g) % 16 + 16 * (u8(s, block + g) / 64);
            min = u8(s, block + 8 + g) / 16 + 16 * (u8(s, block + 4 + g) / 64);
        }
        int code = nibble(u8(s, block + 16 + e / 64 * 32 + e % 32), e / 32 % 2);
        return half(s, block) * scale * code - half(s, block + 2) * min;
    }

    private static double q6k(MemorySegment s, long block, int e) {
        int half = e / 128;
        int r = e % 128;
        int low = nibble(u8(s, block + half * 64 + r % 64), r / 64);
        int high = u8(s, block + 128 + half * 32 + r % 32) >> 2 * (r / 32) & 3;
        return half(s, block + 208) * s.get(ValueLayout.JAVA_BYTE, block + 192 + e / 16) * (low + 16 * high - 32);
    }

    private static double half(MemorySegment s, long at) {
        return Float.float16ToFloat(s.get(SHORT, at));
    }

    private static int nibble(int b, int which) {
        return which == 0 ? b % 16 : b / 16;
    }

    private static int u8(MemorySegment s, long at) {
        return Byte.toUnsignedInt(s.get(ValueLayout.JAVA_BYTE, at));
    }
}
