package dev.vt.backend.cpu.internal.kernel;

/**
 * The fp4 format e2m1: a sign and one of 0, 0.5, 1, 1.5, 2, 3, 4, 6. Source: OCP Microscaling Formats Specification 1.0.
 * No state, any thread.
 */
final class Fp4 {
    private static final float[] VALUES = {0f, .5f, 1f, 1.5f, 2f, 3f, 4f, 6f, -0f, -.5f, -1f, -1.5f, -2f, -3f, -4f, -6f
    };

    private Fp4() {}

    /** The nearest code, ties to the even one, saturating; a NaN becomes 6. */
    static int encode(float x) {
        float a = Math.abs(x);
        int sign = x < 0 || (x == 0 && 1 / x < 0) ? 8 : 0;
        if (a <= 1.25f) {
            return sign | (a <= .25f ? 0 : a < .75f ? 1 : 2);
        }
        if (a < 3.5f) {
            return sign | (a < 1.75f ? 3 : a <= 2.5f ? 4 : 5);
        }
        return sign | (a <= 5f ? 6 : 7);
    }

    /** The number of a code, 0 to 15. */
    static float decode(int code) {
        return VALUES[code];
    }
}
