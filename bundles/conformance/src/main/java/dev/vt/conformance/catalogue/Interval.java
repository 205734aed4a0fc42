package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Floats;

/**
 * What a kernel may hold for a number before it rounds it to a small format: the true one, give or take some roundings to f32. Where
 * that straddles the middle of two numbers of the format, either is right. NaN makes both ends NaN.
 *
 * @param low the lower end
 * @param high the upper end
 */
record Interval(double low, double high) {
    private static final double ROUNDING = 0x1p-24;

    static Interval exact(double value) {
        return new Interval(value, value);
    }

    /** So many roundings around a number. */
    static Interval around(double value, double roundings) {
        double slack = Math.abs(value) * roundings * ROUNDING;
        return Double.isInfinite(value) ? exact(value) : new Interval(value - slack, value + slack);
    }

    /** Wider by so many roundings. */
    Interval wider(double roundings) {
        return new Interval(around(low, roundings).low, around(high, roundings).high);
    }

    /** Both ends as bf16. */
    Interval bf16() {
        return new Interval(Floats.rounded(DType.BF16, (float) low), Floats.rounded(DType.BF16, (float) high));
    }

    /** Times a number above 0. */
    Interval times(double factor) {
        return new Interval(low * factor, high * factor);
    }

    /** The sizes, whatever the sign. */
    Interval magnitude() {
        double a = Math.abs(low);
        double b = Math.abs(high);
        boolean crosses = low < 0 && high > 0;
        return new Interval(crosses ? 0 : Math.min(a, b), Math.max(a, b));
    }

    boolean isNaN() {
        return Double.isNaN(low) || Double.isNaN(high);
    }

    @Override
    public String toString() {
        return low == high ? "" + low : low + " to " + high;
    }
}
