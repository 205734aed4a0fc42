package dev.vt.backend.cpu.internal.kernel;

/**
 * The fp8 format e4m3: bias 7, no infinities, 0x7f and 0xff NaN, largest number 448. Source: OCP 8-bit Floating Point
 * Specification 1.0. No state, any thread.
 */
final class Fp8 {
    /** Bits of 448f. */
    private static final int LARGEST = 0x43e00000;
    /** Bits of the smallest normal number, 2^-6. */
    private static final int SMALLEST_NORMAL = 0x3c800000;
    /** What a float's exponent is more than that of e4m3, times the 8 values of the mantissa. */
    private static final int BIAS = 127 - 7 << 3;

    private static final float SUBNORMAL_STEPS = 0x1p9f;
    private static final float[] VALUES = values();

    private Fp8() {}

    /** The nearest code, ties to even, saturating; a NaN stays one. */
    static byte encode(float x) {
        int bits = Float.floatToRawIntBits(x);
        int sign = bits >>> 24 & 0x80;
        int abs = bits & 0x7fffffff;
        if (Float.isNaN(x)) {
            return (byte) (sign | 0x7f);
        }
        if (abs >= LARGEST) {
            return (byte) (sign | 0x7e);
        }
        if (abs < SMALLEST_NORMAL) {
            return (byte) (sign | (int) Math.rint(Float.intBitsToFloat(abs) * SUBNORMAL_STEPS));
        }
        return (byte) (sign | (abs + 0x7ffff + (abs >>> 20 & 1) >>> 20) - BIAS);
    }

    /** The number of a code. */
    static float decode(byte code) {
        return VALUES[code & 0xff];
    }

    private static float[] values() {
        float[] values = new float[256];
        for (int code = 0; code < values.length; code++) {
            int exponent = code >> 3 & 15;
            int mantissa = code & 7;
            float value = exponent == 0 ? Math.scalb(mantissa, -9) : Math.scalb(8f + mantissa, exponent - 10);
            float magnitude = (code & 0x7f) == 0x7f ? Float.NaN : value;
            values[code] = code < 128 ? magnitude : -magnitude;
        }
        return values;
    }
}
