package dev.vt.conformance.spec;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Elements of plain types as bytes, little-endian, and back. Pure functions, any thread. */
public final class Floats {
    private Floats() {}

    /** Rounds to the type, to nearest even; a NaN stays one. */
    public static double rounded(DType dtype, double value) {
        byte[] bytes = new byte[8];
        put(wrap(bytes), dtype, value);
        return get(wrap(bytes), 0, dtype);
    }

    /** Rounds every value to the type. */
    public static double[] rounded(DType dtype, double[] values) {
        return decode(dtype, encode(dtype, values));
    }

    /** Values as stored in a type. */
    public static byte[] encode(DType dtype, double[] values) {
        ByteBuffer out = wrap(new byte[Math.multiplyExact(values.length, dtype.elementBytes())]);
        for (double v : values) {
            put(out, dtype, v);
        }
        return out.array();
    }

    /** Stored elements of a plain type as doubles; the integers up to 2^53 are exact. */
    public static double[] decode(DType dtype, byte[] bytes) {
        double[] out = new double[bytes.length / dtype.elementBytes()];
        ByteBuffer in = wrap(bytes);
        for (int i = 0; i < out.length; i++) {
            out[i] = get(in, i, dtype);
        }
        return out;
    }

    /** Stored integers. */
    public static long[] integers(DType dtype, byte[] bytes) {
        long[] out = new long[bytes.length / dtype.elementBytes()];
        ByteBuffer in = wrap(bytes);
        for (int i = 0; i < out.length; i++) {
            out[i] = switch (dtype) {
                case I8 -> in.get(i);
                case I32 -> in.getInt(4 * i);
                case I64 -> in.getLong(8 * i);
                default -> throw VtException.invalidArgument("expected an integer dtype, given " + dtype);
            };
        }
        return out;
    }

    /** The distance from a value to the next one in the type, for a value of this size. */
    public static double ulp(DType dtype, double value) {
        double size = Math.abs(value);
        return switch (dtype) {
            case F32 -> Math.ulp((float) Math.min(size, Float.MAX_VALUE));
            case BF16 -> Math.max(Math.scalb(1.0, exponent(size) - 7), Math.scalb(1.0, -133));
            case F16 -> Math.max(Math.scalb(1.0, exponent(size) - 10), Math.scalb(1.0, -24));
            default -> throw VtException.invalidArgument("expected a float dtype, given " + dtype);
        };
    }

    /** The largest finite value of a type. */
    public static double max(DType dtype) {
        return switch (dtype) {
            case F32 -> Float.MAX_VALUE;
            case BF16 -> Float.intBitsToFloat(0x7f7f0000);
            case F16 -> 65504;
            default -> throw VtException.invalidArgument("expected a float dtype, given " + dtype);
        };
    }

    private static int exponent(double size) {
        return size == 0 ? Float.MIN_EXPONENT : Math.getExponent(size);
    }

    static void put(ByteBuffer out, DType dtype, double value) {
        switch (dtype) {
            case F32 -> out.putFloat((float) value);
            case F16 -> out.putShort(f16(value));
            case BF16 -> out.putShort(bf16(value));
            case I8 -> out.put((byte) value);
            case I32 -> out.putInt((int) value);
            case I64 -> out.putLong((long) value);
            default -> throw VtException.invalidArgument("expected a plain dtype, given " + dtype);
        }
    }

    private static double get(ByteBuffer in, int i, DType dtype) {
        return switch (dtype) {
            case F32 -> in.getFloat(4 * i);
            case F16 -> Float.float16ToFloat(in.getShort(2 * i));
            case BF16 -> Float.intBitsToFloat(in.getShort(2 * i) << 16);
            case I8 -> in.get(i);
            case I32 -> in.getInt(4 * i);
            case I64 -> in.getLong(8 * i);
            default -> throw VtException.invalidArgument("expected a plain dtype, given " + dtype);
        };
    }

    /** From a double at once: a way over f32 would round twice. */
    private static short bf16(double value) {
        return narrow(value, 7, -126, 0x7f80);
    }

    private static short f16(double value) {
        return narrow(value, 10, -14, 0x7c00);
    }

    /** A double as sign, exponent and {@code bits} bits of mantissa; {@code infinity} is the bits of infinity. */
    private static short narrow(double value, int bits, int minExponent, int infinity) {
        int sign = Double.doubleToRawLongBits(value) < 0 ? 0x8000 : 0;
        if (Double.isNaN(value)) {
            return (short) (sign | infinity | 1 << bits - 1);
        }
        double size = Math.abs(value);
        int exponent = Math.max(Math.getExponent(size), minExponent);
        if (size == 0) {
            return (short) sign;
        }
        if (exponent > -minExponent + 1) {
            return (short) (sign | infinity);
        }
        // Scaled so that one unit is one unit in the last place; rint is to nearest even.
        long units = (long) Math.rint(Math.scalb(size, bits - exponent));
        long encoded = ((long) (exponent - minExponent) << bits) + units;
        return (short) (sign | Math.min(encoded, infinity));
    }

    private static ByteBuffer wrap(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
