package dev.vt.conformance.spec;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Random blocks of the GGUF encodings, with scales that give values of about 1. Where scales lie is the format's. One thread. */
final class RandomBlocks {
    private RandomBlocks() {}

    static byte[] make(SplittableRandom random, Pattern pattern, DType dtype, long... shape) {
        ByteBuffer out = CaseData.buffer(dtype, shape);
        if (pattern == Pattern.ZERO) {
            return out.array();
        }
        random.nextBytes(out.array());
        for (int at = 0; at < out.capacity(); at += dtype.blockBytes()) {
            block(out, at, dtype, random, pattern);
        }
        return out.array();
    }

    private static void block(ByteBuffer out, int at, DType dtype, SplittableRandom random, Pattern pattern) {
        switch (dtype) {
            case Q4_0, Q5_0, IQ4_NL -> scale(out, at, dtype == DType.Q5_0 ? 16 : 8, random, pattern);
            case Q8_0 -> scale(out, at, 128, random, pattern);
            case Q2_K -> scales(out, at + 80, 15 * 3, random, pattern);
            case Q3_K -> scale(out, at + 108, 32 * 4, random, pattern);
            case Q4_K -> scales(out, at, 63 * 15, random, pattern);
            case Q5_K -> scales(out, at, 63 * 31, random, pattern);
            case Q6_K -> scale(out, at + 208, 128 * 32, random, pattern);
            // An exponent with the bias 127.
            case MXFP4 -> out.put(at, (byte) exponent(random, pattern));
            default -> throw VtException.unsupported("no random data for dtype " + dtype);
        }
    }

    private static int exponent(SplittableRandom random, Pattern pattern) {
        return switch (pattern) {
            case LARGE -> 127 + 100;
            case DENORMAL -> 1;
            default -> random.nextInt(123, 127);
        };
    }

    private static void scale(ByteBuffer out, int at, double largest, SplittableRandom random, Pattern pattern) {
        double wanted = random.nextDouble(0.5, 2) / largest;
        float scale = (float)
                switch (pattern) {
                    case LARGE -> 65504;
                    case DENORMAL -> 3 * 0x1p-24;
                    case NAN_FIRST, NAN_MIDDLE, NAN_LAST, NAN_ALL, NAN_AND_INFINITE ->
                        random.nextInt(4) == 0 ? Double.NaN : wanted;
                    case INFINITE -> random.nextInt(4) == 0 ? Double.POSITIVE_INFINITY : wanted;
                    default -> random.nextBoolean() ? wanted : -wanted;
                };
        out.putShort(at, Float.floatToFloat16(scale));
    }

    /** A scale and the scale of the minima behind it. */
    private static void scales(ByteBuffer out, int at, double largest, SplittableRandom random, Pattern pattern) {
        scale(out, at, largest, random, pattern);
        scale(out, at + 2, largest, random, pattern);
    }
}
