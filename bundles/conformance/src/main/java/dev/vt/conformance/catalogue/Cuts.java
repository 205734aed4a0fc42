package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Ops that cut rows of logits short: {@code apply_top_k_top_p}, {@code apply_min_p}. What is kept keeps its bits; the bounds lie in
 * the middle between two tokens, so that no rounding decides.
 */
final class Cuts {
    private static final String[] FULL = {
        "0x8", "3x0", "3x1", "1x1", "2x7", "9x255", "8x256", "9x257", "7x1021", "1x8193", "3x32003"
    };
    private static final int ONLY_K = 1;
    private static final int ONLY_P = 2;
    private static final int NEITHER = 3;

    private Cuts() {}

    static List<OpSpec> all() {
        Pattern[] patterns = {
            Pattern.TIES,
            Pattern.NAN_MIDDLE,
            Pattern.NAN_FIRST,
            Pattern.NAN_LAST,
            Pattern.NAN_ALL,
            Pattern.INFINITE,
            Pattern.MINUS_INFINITE,
            Pattern.ZERO
        };
        return List.of(
                OpSpec.of(OpTable.APPLY_TOP_K_TOP_P, "RxV")
                        .dtypes(DType.F32)
                        .variants("", "k", "p", "neither")
                        .quick("1x64", "7x33", "7x301")
                        .full(FULL)
                        .patterns(patterns)
                        .makes(Cuts::topKTopP),
                OpSpec.of(OpTable.APPLY_MIN_P, "RxV")
                        .dtypes(DType.F32)
                        .quick("1x64", "7x33", "7x301")
                        .full(FULL)
                        .patterns(patterns)
                        .makes(Cuts::minP));
    }

    private static void topKTopP(Draft d) {
        int rows = d.dim(0);
        int n = d.dim(1);
        Operand logits = d.data("logits", DType.F32, rows, n);
        // One, all, more than all, none (which keeps all), and something between.
        int[] counts = {1, n, n + 5, 0, -1};
        Operand k = d.variant() == ONLY_P || d.variant() == NEITHER
                ? null
                : d.integers(
                        "k", DType.I32, r -> r % 2 == 0 ? d.random().nextInt(n + 1) : counts[(int) (r / 2 % 5)], rows);
        Operand p = d.variant() == ONLY_K || d.variant() == NEITHER
                ? null
                : d.of("p", DType.F32, masses(d, logits.values(), k, rows, n), rows);
        logits.expect(() -> {
            double[] y = logits.values().clone();
            for (int r = 0; r < rows; r++) {
                int[] ranked = ranked(y, r * n, n);
                int kept = ofCount(k, r, n);
                if (p != null) {
                    kept = ofMass(y, ranked, kept, p.values()[r]);
                }
                for (int i = kept; i < n; i++) {
                    y[ranked[i]] = Double.NEGATIVE_INFINITY;
                }
            }
            return Expected.exact(y);
        });
        d.call((ops, q, t) -> ops.applyTopKTopP(q, t[0], k == null ? null : t[1], p == null ? null : t[t.length - 1]));
    }

    private static int ofCount(@Nullable Operand k, int row, int n) {
        long count = k == null ? 0 : k.integers()[row];
        return (int) (count < 1 || count > n ? n : count);
    }

    /** Places of a row's elements: the largest first, a NaN before all, of equal ones the one on the left. */
    private static int[] ranked(double[] x, int from, int n) {
        return IntStream.range(from, from + n)
                .boxed()
                .sorted(Comparator.<Integer>comparingInt(i -> Double.isNaN(x[i]) ? 0 : 1)
                        .thenComparing(i -> x[i] + 0.0, Comparator.reverseOrder())
                        .thenComparing(Comparator.naturalOrder()))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Sums of the probabilities of the kept ones, from the first on; all NaN where these are not defined. */
    private static double[] sums(double[] x, int[] ranked, int kept) {
        double[] sums = new double[kept];
        double sum = 0;
        for (int i = 0; i < kept; i++) {
            sum += Math.exp(x[ranked[i]] - x[ranked[0]]);
            sums[i] = sum;
        }
        for (int i = 0; i < kept; i++) {
            sums[i] /= sum;
        }
        return sums;
    }

    private static int ofMass(double[] x, int[] ranked, int kept, double p) {
        double[] sums = sums(x, ranked, kept);
        if (kept == 0 || p >= 1 || Double.isNaN(sums[kept - 1])) {
            return kept;
        }
        int n = 0;
        while (n < kept - 1 && sums[n] < p) {
            n++;
        }
        return n + 1;
    }

    /** For each row 0, 1, or the middle between two sums. */
    private static double[] masses(Draft d, double[] x, @Nullable Operand k, int rows, int n) {
        double[] masses = new double[rows];
        for (int r = 0; r < rows; r++) {
            int[] ranked = ranked(x, r * n, n);
            double[] sums = sums(x, ranked, ofCount(k, r, n));
            // A step that is too small for f32 is none; those of the first ranks are large.
            int at = sums.length < 2 ? 0 : d.random().nextInt(Math.min(sums.length - 1, 8));
            masses[r] = switch (r % 4) {
                case 2 -> 0;
                case 3 -> 1;
                default -> sums.length < 2 ? 0.5 : (sums[at] + sums[at + 1]) / 2;
            };
        }
        return masses;
    }

    private static void minP(Draft d) {
        int rows = d.dim(0);
        int n = d.dim(1);
        Operand logits = d.data("logits", DType.F32, rows, n);
        double[] bounds = new double[rows];
        for (int r = 0; r < rows; r++) {
            bounds[r] = switch (r % 4) {
                case 2 -> 0;
                case 3 -> 1;
                default -> between(d, logits.values(), r * n, n);
            };
        }
        Operand minP = d.of("minP", DType.F32, bounds, rows);
        logits.expect(() -> {
            double[] y = logits.values().clone();
            for (int r = 0; r < rows; r++) {
                double max = max(y, r * n, n);
                for (int i = r * n; Double.isFinite(max) && i < r * n + n; i++) {
                    y[i] = Math.exp(y[i] - max) < minP.values()[r] ? Double.NEGATIVE_INFINITY : y[i];
                }
            }
            return Expected.exact(y);
        });
        d.call((ops, q, t) -> ops.applyMinP(q, t[0], t[1]));
    }

    private static double max(double[] x, int from, int n) {
        double max = Double.NEGATIVE_INFINITY;
        for (int i = from; i < from + n; i++) {
            max = Math.max(max, x[i]);
        }
        return max;
    }

    /** A probability over the largest that lies between those of two ranks, or a half. */
    private static double between(Draft d, double[] x, int from, int n) {
        if (n < 2) {
            return 0.5;
        }
        int[] ranked = ranked(x, from, n);
        int at = d.random().nextInt(Math.min(n - 1, 20));
        double middle = (Math.exp(x[ranked[at]] - x[ranked[0]]) + Math.exp(x[ranked[at + 1]] - x[ranked[0]])) / 2;
        return Double.isNaN(middle) || middle == 1 ? 0.5 : middle;
    }
}
