package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Raw bytes of quantised tensors, made and decoded in double precision without the code under test. */
final class QuantData {
    private static final double[] E2M1 = {0, .5, 1, 1.5, 2, 3, 4, 6};

    private QuantData() {}

    /** Random codes: any byte. */
    static Tensor codes(long seed, long... shape) {
        Tensor t = Data.empty(DType.I8, 0, 0, shape);
        byte[] bytes = new byte[(int) t.elements()];
        new SplittableRandom(seed).nextBytes(bytes);
        for (int i = 0; i < bytes.length; i++) {
            set(t, i, bytes[i]);
        }
        return t;
    }

    /** Random e4m3 numbers from 2^-3 to 4. */
    static Tensor scales(long seed, long... shape) {
        Tensor t = codes(seed, shape);
        for (int i = 0; i < t.elements(); i++) {
            set(t, i, (byte) (32 + (get(t, i) & 31)));
        }
        return t;
    }

    /** Random e4m3 numbers, none NaN. */
    static Tensor fp8(long seed, long... shape) {
        Tensor t = codes(seed, shape);
        for (int i = 0; i < t.elements(); i++) {
            if ((get(t, i) & 127) == 127) {
                set(t, i, (byte) 0);
            }
        }
        return t;
    }

    static int get(Tensor t, long i) {
        return t.segment().get(ValueLayout.JAVA_BYTE, t.offset() + i) & 255;
    }

    static void set(Tensor t, long i, byte value) {
        t.segment().set(ValueLayout.JAVA_BYTE, t.offset() + i, value);
    }

    static byte[] bytes(Tensor t) {
        return t.segment().asSlice(t.offset(), t.elements()).toArray(ValueLayout.JAVA_BYTE);
    }

    static double e4m3(int code) {
        int exponent = code >> 3 & 15;
        double m = code & 7;
        double value = exponent == 0 ? m / 512 : Math.pow(2, exponent - 7) * (1 + m / 8);
        double magnitude = (code & 127) == 127 ? Double.NaN : value;
        return (code & 128) != 0 ? -magnitude : magnitude;
    }

    static double e2m1(int code) {
        return (code & 8) != 0 ? -E2M1[code & 7] : E2M1[code & 7];
    }

    /** Element [row, k] of an nvfp4 matrix with linear scales. */
    static double nvfp4(Tensor packed, Tensor scale, long row, long k) {
        long width = packed.dim(1);
        int pair = get(packed, row * width + k / 2);
        return e2m1(k % 2 == 0 ? pair & 15 : pair >> 4) * e4m3(get(scale, row * (width / 8) + k / 16));
    }

    /** A double as bf16, to nearest even, by way of f32. */
    static double bf16(double x) {
        int bits = Float.floatToRawIntBits((float) x);
        int rest = bits & 0xffff;
        int high = bits >>> 16;
        if (rest > 0x8000 || (rest == 0x8000 && (high & 1) == 1)) {
            high++;
        }
        return Float.intBitsToFloat(high << 16);
    }

    /** Fails unless two tensors of one shape hold the same bytes. */
    static void assertSameBytes(Tensor expected, Tensor actual, String what) {
        int n = expected.dtype().elementBytes();
        assertEquals(expected.dtype(), actual.dtype());
        byte[] e = expected.segment()
                .asSlice(expected.offset(), expected.elements() * n)
                .toArray(ValueLayout.JAVA_BYTE);
        byte[] a =
                actual.segment().asSlice(actual.offset(), actual.elements() * n).toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < e.length; i++) {
            assertEquals(e[i], a[i], what + ": byte " + i);
        }
        assertEquals(e.length, a.length, what);
    }
}
