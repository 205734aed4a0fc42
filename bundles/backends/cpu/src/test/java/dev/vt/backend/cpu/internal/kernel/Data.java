package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Tensors of tests, made, read and compared without the code under test. */
final class Data {
    /** The byte offsets of case O4.10. */
    static final int[] OFFSETS = {0, 4, 8, 60, 64};

    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED;

    private Data() {}

    /** Numbers from -1 to 1 that every float type rounds a little. */
    static double[] random(long seed, long n) {
        return new SplittableRandom(seed).doubles(n, -1, 1).toArray();
    }

    /** A contiguous tensor at offset 0 with values. */
    static Tensor of(DType dtype, double[] values, long... shape) {
        return of(dtype, 0, 0, values, shape);
    }

    /** A tensor whose rows are {@code pad} elements apart, with values. */
    static Tensor of(DType dtype, long offset, long pad, double[] values, long... shape) {
        Tensor t = empty(dtype, offset, pad, shape);
        assertEquals(t.elements(), values.length);
        for (int i = 0; i < values.length; i++) {
            put(t, i, values[i]);
        }
        return t;
    }

    /** A tensor of the pattern; {@code pad} elements lie between its rows, 64 bytes after its end. */
    static Tensor empty(DType dtype, long offset, long pad, long... shape) {
        long[] strides = new long[shape.length];
        long step = 1;
        for (int i = shape.length - 1; i >= 0; i--) {
            strides[i] = step;
            step *= shape[i];
            if (i == shape.length - 1) {
                step += pad;
            }
        }
        HostBlock block = new HostBlock(offset + step * dtype.elementBytes() + 64);
        return Tensor.strided(block, offset, dtype, shape, strides);
    }

    /** A contiguous copy of a tensor's values in another place. */
    static Tensor copy(Tensor t) {
        return of(t.dtype(), 0, 0, read(t), t.shape());
    }

    static double[] read(Tensor t) {
        double[] values = new double[Math.toIntExact(t.elements())];
        for (int i = 0; i < values.length; i++) {
            values[i] = get(t, i);
        }
        return values;
    }

    /** Element i in row-major order. */
    static double get(Tensor t, long i) {
        long at = at(t, i);
        MemorySegment s = t.segment();
        return switch (t.dtype()) {
            case F32 -> s.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
            case F16 -> Float.float16ToFloat(s.get(U16, at));
            case BF16 -> Float.intBitsToFloat(s.get(U16, at) << 16);
            case I8 -> s.get(ValueLayout.JAVA_BYTE, at);
            case I32 -> s.get(ValueLayout.JAVA_INT_UNALIGNED, at);
            case I64 -> s.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            default -> throw new IllegalArgumentException(t.toString());
        };
    }

    static void put(Tensor t, long i, double v) {
        long at = at(t, i);
        MemorySegment s = t.segment();
        switch (t.dtype()) {
            case F32 -> s.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, (float) v);
            case F16 -> s.set(U16, at, Float.floatToFloat16((float) v));
            case BF16 -> s.set(U16, at, (short) (Float.floatToRawIntBits((float) v) >>> 16));
            case I8 -> s.set(ValueLayout.JAVA_BYTE, at, (byte) v);
            case I32 -> s.set(ValueLayout.JAVA_INT_UNALIGNED, at, (int) v);
            case I64 -> s.set(ValueLayout.JAVA_LONG_UNALIGNED, at, (long) v);
            default -> throw new IllegalArgumentException(t.toString());
        }
    }

    private static long at(Tensor t, long i) {
        long element = 0;
        long rest = i;
        for (int d = t.rank() - 1; d >= 0; d--) {
            element += rest % t.dim(d) * t.stride(d);
            rest /= t.dim(d);
        }
        return t.offset() + element * t.dtype().elementBytes();
    }

    /**
     * Compares with what double precision gave. The bound is relative to the larger of the value and {@code scale},
     * which stands for the size of the terms that a value is the sum of; a bf16 output may be one rounding off besides.
     */
    static void assertClose(double[] expected, Tensor actual, double scale, String what) {
        double[] got = read(actual);
        assertEquals(expected.length, got.length, what);
        double rounding = actual.dtype() == DType.BF16 ? 0x1p-8 : 0;
        for (int i = 0; i < got.length; i++) {
            double e = expected[i];
            if (Double.isNaN(e) || Double.isInfinite(e)) {
                assertEquals(e, got[i], what + ": element " + i);
                continue;
            }
            double bound = Math.abs(e) * rounding + 4e-6 * Math.max(Math.abs(e), scale) + 1e-38;
            boolean close = Math.abs(e - got[i]) <= bound;
            assertTrue(close, what + ": element " + i + ": expected " + e + ", given " + got[i]);
        }
    }

    /** All bytes of the block that are not elements of the tensor still hold the pattern. */
    static void assertOutsideUntouched(Tensor t, String what) {
        MemorySegment s = t.segment();
        boolean[] mine = new boolean[Math.toIntExact(s.byteSize())];
        for (long i = 0; i < t.elements(); i++) {
            int at = (int) at(t, i);
            for (int b = 0; b < t.dtype().elementBytes(); b++) {
                mine[at + b] = true;
            }
        }
        for (int i = 0; i < mine.length; i++) {
            boolean untouched = mine[i] || s.get(ValueLayout.JAVA_BYTE, i) == HostBlock.PATTERN;
            assertTrue(untouched, what + ": byte " + i + " was written");
        }
    }
}
