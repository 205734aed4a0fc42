package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.function.LongToDoubleFunction;
import java.util.function.LongUnaryOperator;

/** Random data of every dtype, the same for the same seed. One thread. */
final class CaseData {
    private final SplittableRandom random;

    CaseData(long seed) {
        random = new SplittableRandom(seed);
    }

    /** About normally distributed values in a float type, or random blocks in a block type. */
    byte[] values(DType dtype, long... shape) {
        return dtype.isBlock() ? blocks(dtype, shape) : floats(dtype, i -> random.nextGaussian(), shape);
    }

    /** Values between two bounds. */
    byte[] between(double low, double high, DType dtype, long... shape) {
        return floats(dtype, i -> random.nextDouble(low, high), shape);
    }

    /** Values in a float type. */
    static byte[] floats(DType dtype, LongToDoubleFunction value, long... shape) {
        ByteBuffer out = buffer(dtype, shape);
        for (long i = 0; out.hasRemaining(); i++) {
            put(out, dtype, (float) value.applyAsDouble(i));
        }
        return out.array();
    }

    private static void put(ByteBuffer out, DType dtype, float value) {
        switch (dtype) {
            case F32 -> out.putFloat(value);
            case F16 -> out.putShort(Float.floatToFloat16(value));
            // Cut, not rounded: any bf16 value will do.
            case BF16 -> out.putShort((short) (Float.floatToRawIntBits(value) >>> 16));
            default -> throw VtException.invalidArgument("expected a float dtype, given " + dtype);
        }
    }

    /** Integers from 0 up to a bound. */
    byte[] below(long bound, DType dtype, long... shape) {
        return integers(dtype, i -> random.nextLong(bound), shape);
    }

    /** Integers in i8, i32 or i64. */
    static byte[] integers(DType dtype, LongUnaryOperator value, long... shape) {
        ByteBuffer out = buffer(dtype, shape);
        for (long i = 0; out.hasRemaining(); i++) {
            long v = value.applyAsLong(i);
            switch (dtype) {
                case I8 -> out.put((byte) v);
                case I32 -> out.putInt((int) v);
                default -> out.putLong(v);
            }
        }
        return out.array();
    }

    /** The numbers from 0 up to n in random order. */
    int[] shuffled(int n) {
        int[] out = new int[n];
        for (int i = 0; i < n; i++) {
            int j = random.nextInt(i + 1);
            out[i] = out[j];
            out[j] = i;
        }
        return out;
    }

    private static ByteBuffer buffer(DType dtype, long... shape) {
        return ByteBuffer.allocate(Math.toIntExact(Tensor.bytes(dtype, shape))).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Random bits with scales that give values of about 1. Where the scales lie is from the GGUF format's description.
     */
    private byte[] blocks(DType dtype, long... shape) {
        ByteBuffer out = buffer(dtype, shape);
        random.nextBytes(out.array());
        for (int at = 0; at < out.capacity(); at += dtype.blockBytes()) {
            switch (dtype) {
                case Q4_0, Q5_0, IQ4_NL -> scale(out, at, dtype == DType.Q5_0 ? 16 : 8);
                case Q8_0 -> scale(out, at, 128);
                case Q2_K -> scales(out, at + 80, 15 * 3);
                case Q3_K -> scale(out, at + 108, 32 * 4);
                case Q4_K -> scales(out, at, 63 * 15);
                case Q5_K -> scales(out, at, 63 * 31);
                case Q6_K -> scale(out, at + 208, 128 * 32);
                // An exponent with the bias 127.
                case MXFP4 -> out.put(at, (byte) random.nextInt(123, 127));
                default -> throw VtException.unsupported("no random data for dtype " + dtype);
            }
        }
        return out.array();
    }

    private void scale(ByteBuffer out, int at, double largest) {
        out.putShort(at, Float.floatToFloat16((float) (random.nextDouble(0.5, 2) / largest)));
    }

    /** A scale and the scale of the minima behind it. */
    private void scales(ByteBuffer out, int at, double largest) {
        scale(out, at, largest);
        scale(out, at + 2, largest);
    }
}
