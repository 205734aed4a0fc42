package dev.vt.backend.cpu.internal.kernel;

import dev.vt.ops.kernel.Unary;
import dev.vt.ops.kernel.UnaryScalar;

/** The ops that make each element from one element: {@code relu}, the casts, {@code mul_scalar}, {@code soft_cap}. */
final class Maps {
    /** max(x, 0); a NaN stays. */
    static final Unary RELU = (queue, out, x) -> Elementwise.run(queue, out, x, 1, Maps::relu);

    /** Reading widens and storing rounds, so a cast has nothing left to do. */
    static final Unary CAST = (queue, out, x) -> Elementwise.run(queue, out, x, 1, (values, n) -> {});

    /** The product is made in double and rounded once. */
    static final UnaryScalar MUL_SCALAR =
            (queue, out, x, value) -> Elementwise.run(queue, out, x, 1, (values, n) -> scale(values, n, value));

    /** value * tanh(x / value), in double. */
    static final UnaryScalar SOFT_CAP =
            (queue, out, x, value) -> Elementwise.run(queue, out, x, 20, (values, n) -> softCap(values, n, value));

    private Maps() {}

    private static void relu(float[] x, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Math.max(x[i], 0f);
        }
    }

    private static void scale(float[] x, int n, double factor) {
        for (int i = 0; i < n; i++) {
            x[i] = (float) (x[i] * factor);
        }
    }

    private static void softCap(float[] x, int n, double cap) {
        for (int i = 0; i < n; i++) {
            x[i] = softCap(x[i], cap);
        }
    }

    static float softCap(float x, double cap) {
        return (float) (cap * Math.tanh(x / cap));
    }
}
