package dev.vt.shell.internal;

import dev.vt.api.tensor.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * How far a result is from the one that it should be. The error of an element is its distance over the expected size,
 * where a tensor's mean size stands in for elements near zero, which cancellation makes inexact. Pure functions, any
 * thread.
 */
final class Difference {
    /** What kernels may do to sums: another order, a fused multiply-add. */
    private static final double F32_BOUND = 1e-4;

    /** Two roundings to 8 bits of a mantissa. */
    private static final double BF16_BOUND = 1.6e-2;

    /** Activations in 8 bits, as fast kernels for block encodings use. */
    private static final double BLOCK_BOUND = 2e-2;

    private Difference() {}

    /** The error that an output may have in a case about a dtype. */
    static double bound(DType about, DType output) {
        if (!output.isFloat()) {
            return 0;
        }
        if (about.isBlock()) {
            return BLOCK_BOUND;
        }
        return output == DType.BF16 || about == DType.BF16 ? BF16_BOUND : F32_BOUND;
    }

    /** The largest error; infinite where one is NaN or infinite and the other is not so. */
    static double of(DType dtype, byte[] given, byte[] expected) {
        if (!dtype.isFloat()) {
            return Arrays.equals(given, expected) ? 0 : Double.POSITIVE_INFINITY;
        }
        float[] a = floats(dtype, given);
        float[] b = floats(dtype, expected);
        double size = meanSize(b);
        double worst = 0;
        for (int i = 0; i < b.length; i++) {
            worst = Math.max(worst, error(a[i], b[i], size));
        }
        return worst;
    }

    private static double error(float a, float b, double size) {
        if (Float.compare(a, b) == 0 || a == b) {
            return 0;
        }
        if (!Float.isFinite(a) || !Float.isFinite(b)) {
            return Double.POSITIVE_INFINITY;
        }
        return Math.abs((double) a - b) / Math.max(Math.abs((double) b), size);
    }

    private static double meanSize(float[] values) {
        double sum = 0;
        int count = 0;
        for (float v : values) {
            if (Float.isFinite(v)) {
                sum += Math.abs(v);
                count++;
            }
        }
        return count == 0 ? 1 : Math.max(sum / count, Float.MIN_NORMAL);
    }

    private static float[] floats(DType dtype, byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        float[] out = new float[bytes.length / dtype.elementBytes()];
        for (int i = 0; i < out.length; i++) {
            out[i] = switch (dtype) {
                case F32 -> in.getFloat();
                case F16 -> Float.float16ToFloat(in.getShort());
                default -> Float.intBitsToFloat(in.getShort() << 16);
            };
        }
        return out;
    }
}
