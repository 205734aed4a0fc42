package dev.vt.backend.cpu.internal.kernel;

/** The numbers between a projection and the gated delta rule, each made in double and rounded once. */
final class Gates {
    /** Above this the softplus of a number is the number itself, to all digits of a float. */
    private static final double LINEAR = 20;

    private Gates() {}

    /** -exp(aLog) * softplus(a + dtBias). */
    static float g(float a, float aLog, float dtBias) {
        double x = (double) a + dtBias;
        double softplus = x > LINEAR ? x : Math.log1p(Math.exp(x));
        return (float) (-Math.exp(aLog) * softplus);
    }

    /** The logistic function. */
    static float beta(float b) {
        return (float) (1.0 / (1.0 + Math.exp(-b)));
    }

    /** x * rsqrt(sum(x^2) + eps); the sum is made in double, so no finite row overflows it. */
    static void unit(float[] x, float eps) {
        double inverse = 1.0 / Math.sqrt(Sums.squares(x, x.length, 0.0) + eps);
        for (int i = 0; i < x.length; i++) {
            x[i] = (float) (x[i] * inverse);
        }
    }
}
