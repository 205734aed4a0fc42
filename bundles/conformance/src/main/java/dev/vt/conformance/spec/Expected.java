package dev.vt.conformance.spec;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What an output must hold. Immutable but for {@link #untouched}; one thread.
 *
 * <p>The bound of a close value is half a unit in the last place of the stored type, for the one rounding on store, plus
 * {@code roundings} roundings to f32 of a number as large as the value's magnitude, plus the smallest normal f32, since a device may
 * flush smaller numbers to zero. The magnitude is the sum of the absolute values of what was added up: where terms cancel, the sum is
 * small and its error is not.
 */
public final class Expected {
    /** One rounding to f32: half of 2^-23. */
    private static final double ROUNDING = 0x1p-24;

    /** Looks at the stored elements itself. */
    @FunctionalInterface
    public interface Judge {
        /**
         * Says what is wrong.
         *
         * @param given the stored elements, row-major, little-endian
         * @return one short sentence, or null when all is right
         */
        @Nullable
        String fault(byte[] given);
    }

    /** What a comparison found. */
    public record Verdict(@Nullable String fault, double error) {
        static final Verdict RIGHT = new Verdict(null, 0);
    }

    private final double @Nullable [] values;
    private final double @Nullable [] magnitudes;
    private final long @Nullable [] integers;
    private final @Nullable Judge judge;
    private final double roundings;
    private final boolean exact;
    private @Nullable BitSet untouched;

    private Expected(
            double @Nullable [] values,
            double @Nullable [] magnitudes,
            long @Nullable [] integers,
            @Nullable Judge judge,
            double roundings,
            boolean exact) {
        this.values = values;
        this.magnitudes = magnitudes;
        this.integers = integers;
        this.judge = judge;
        this.roundings = roundings;
        this.exact = exact;
    }

    /** Values whose magnitudes are their own sizes: no terms cancel. */
    public static Expected close(double[] values, double roundings) {
        return new Expected(values, null, null, null, roundings, false);
    }

    /** Values with the sums of the sizes of their terms. */
    public static Expected close(double[] values, double[] magnitudes, double roundings) {
        return new Expected(values, magnitudes, null, null, roundings, false);
    }

    /**
     * How many roundings a sum of {@code terms} terms may have in any order: the worst case grows with the number, what is seen grows
     * with its root, and a dropped term is larger than this.
     */
    public static double sumOf(long terms) {
        return Math.min(terms, 8 + 8 * Math.sqrt(terms)) + 4;
    }

    /** Values that are stored with exactly one rounding, to nearest even: bits are compared, but for those of a NaN. */
    public static Expected exact(double[] values) {
        return new Expected(values, null, null, null, 0, true);
    }

    /** Integers, compared as they are. */
    public static Expected integers(long... values) {
        return new Expected(null, null, values, null, 0, true);
    }

    /** Bytes, compared as they are. */
    public static Expected bytes(byte[] values) {
        return judged(given -> {
            int at = Arrays.mismatch(given, values);
            return at < 0 ? null : "byte " + at + ": expected " + hex(values, at) + ", got " + hex(given, at);
        });
    }

    /** Whatever a judge says. */
    public static Expected judged(Judge judge) {
        return new Expected(null, null, null, judge, 0, true);
    }

    /** Elements that the op leaves alone: they must hold what they held before. */
    public Expected untouched(BitSet elements) {
        untouched = elements;
        return this;
    }

    /** The elements that the op leaves alone; empty for most ops. */
    public BitSet untouched() {
        return untouched == null ? new BitSet() : untouched;
    }

    /** The values, where there are values. */
    public double @Nullable [] values() {
        return values;
    }

    /** Compares stored elements of a type. */
    public Verdict compare(DType dtype, byte[] given, long[] shape) {
        if (judge != null) {
            String fault = judge.fault(given);
            return fault == null ? Verdict.RIGHT : new Verdict(fault, Double.POSITIVE_INFINITY);
        }
        return values == null ? compareIntegers(dtype, given, shape) : compareFloats(dtype, given, shape, values);
    }

    private Verdict compareIntegers(DType dtype, byte[] given, long[] shape) {
        long[] wanted = integers == null ? new long[0] : integers;
        long[] got = Floats.integers(dtype, given);
        requireCount(wanted.length, got.length);
        for (int i = 0; i < got.length; i++) {
            if (got[i] != wanted[i] && !untouched().get(i)) {
                return new Verdict(
                        place(shape, i) + ": expected " + wanted[i] + ", got " + got[i], Double.POSITIVE_INFINITY);
            }
        }
        return Verdict.RIGHT;
    }

    private Verdict compareFloats(DType dtype, byte[] given, long[] shape, double[] wanted) {
        double[] got = Floats.decode(dtype, given);
        requireCount(wanted.length, got.length);
        double worst = 0;
        for (int i = 0; i < got.length; i++) {
            if (untouched().get(i)) {
                continue;
            }
            double error = exact
                    ? exactError(dtype, got[i], wanted[i])
                    : error(dtype, got[i], wanted[i], magnitude(i, wanted));
            if (error == Double.POSITIVE_INFINITY || error > 1) {
                return new Verdict(
                        place(shape, i) + ": expected " + text(dtype, wanted[i]) + ", got " + text(dtype, got[i])
                                + bound(dtype, wanted[i], magnitude(i, wanted)),
                        relative(got[i], wanted[i], i, wanted));
            }
            double distance = relative(got[i], wanted[i], i, wanted);
            // An infinity that is right, for a number beyond the type, is no distance.
            worst = Math.max(worst, Double.isFinite(distance) ? distance : 0);
        }
        return new Verdict(null, worst);
    }

    private static void requireCount(int wanted, int got) {
        if (wanted != got) {
            throw VtException.invalidArgument("the reference gave " + wanted + " elements, the output has " + got);
        }
    }

    private double magnitude(int i, double[] wanted) {
        return magnitudes == null ? Math.abs(wanted[i]) : Math.max(magnitudes[i], Math.abs(wanted[i]));
    }

    /** What reports show: the distance over the magnitude. */
    private double relative(double got, double wanted, int i, double[] all) {
        if (got == wanted || Double.isNaN(got) && Double.isNaN(wanted)) {
            return 0;
        }
        double size = Math.max(magnitude(i, all), Float.MIN_NORMAL);
        return Double.isFinite(got) && Double.isFinite(wanted)
                ? Math.abs(got - wanted) / size
                : Double.POSITIVE_INFINITY;
    }

    private static double exactError(DType dtype, double got, double wanted) {
        double stored = Floats.rounded(dtype, wanted);
        boolean same = Double.isNaN(stored) ? Double.isNaN(got) : Double.compare(got, stored) == 0;
        return same ? 0 : Double.POSITIVE_INFINITY;
    }

    /** The distance over the bound; infinite where one is NaN or infinite and the other is not so. */
    private double error(DType dtype, double got, double wanted, double magnitude) {
        if (Double.isNaN(wanted) || Double.isNaN(got)) {
            return Double.isNaN(wanted) && Double.isNaN(got) ? 0 : Double.POSITIVE_INFINITY;
        }
        double tolerance = tolerance(dtype, wanted, magnitude);
        if (Double.isInfinite(got)) {
            // A value that is infinite, or so near the end of the type that a rounding may carry it over.
            boolean right = Math.signum(got) == Math.signum(wanted) && Math.abs(wanted) + tolerance > Floats.max(dtype);
            return right ? 0 : Double.POSITIVE_INFINITY;
        }
        if (Double.isInfinite(wanted)) {
            return Double.POSITIVE_INFINITY;
        }
        return Math.abs(got - wanted) / tolerance;
    }

    private double tolerance(DType dtype, double wanted, double magnitude) {
        double size = Double.isFinite(magnitude) ? magnitude : 0;
        return Floats.ulp(dtype, wanted) / 2 + roundings * ROUNDING * size + Float.MIN_NORMAL;
    }

    private String bound(DType dtype, double wanted, double magnitude) {
        if (exact || !Double.isFinite(wanted)) {
            return "";
        }
        return String.format(java.util.Locale.ROOT, ", bound %.3g", tolerance(dtype, wanted, magnitude));
    }

    private String text(DType dtype, double value) {
        return Double.toString(exact ? Floats.rounded(dtype, value) : value);
    }

    private static String place(long[] shape, int element) {
        long[] at = new long[shape.length];
        long rest = element;
        for (int i = shape.length - 1; i >= 0; i--) {
            at[i] = rest % shape[i];
            rest /= shape[i];
        }
        return Arrays.toString(at);
    }

    private static String hex(byte[] bytes, int at) {
        return at < bytes.length ? String.format("0x%02x", bytes[at]) : "nothing";
    }
}
