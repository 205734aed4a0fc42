package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.Floats;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ops that choose one token of each row: {@code greedy_argmax}, {@code random_sample}. */
final class Choices {
    private static final String[] FULL = {
        "0x8", "3x1", "1x1", "2x7", "3x255", "4x256", "3x257", "2x1021", "1x8191", "2x8192", "2x8193", "2x32003"
    };

    /** Scores that are nearer to each other than this share may change places on a device without doubles. */
    private static final double TIE = 1e-5;

    private static final int MINUS_INFINITE = 1;
    private static final int ALL_EQUAL = 2;

    private static final int SOME_ZERO = 1;
    private static final int ALL_ZERO = 2;

    private Choices() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.GREEDY_ARGMAX, "RxV")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "all minus infinite", "all equal")
                        .quickPatterns(2)
                        .quick("1x64", "3x33", "2x301")
                        .full(FULL)
                        .patterns(
                                Pattern.NAN_MIDDLE,
                                Pattern.TIES,
                                Pattern.NAN_FIRST,
                                Pattern.NAN_LAST,
                                Pattern.NAN_ALL,
                                Pattern.NAN_AND_INFINITE,
                                Pattern.INFINITE,
                                Pattern.MINUS_INFINITE,
                                Pattern.ZERO,
                                Pattern.LARGE)
                        .makes(Choices::argmax),
                OpSpec.of(OpTable.RANDOM_SAMPLE, "RxV")
                        .dtypes(DType.F32)
                        .variants("", "some zero", "all zero")
                        .quick("1x64", "3x33", "2x301")
                        .full(FULL)
                        .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_FIRST, Pattern.NAN_LAST, Pattern.NAN_ALL)
                        .makes(Choices::sample));
    }

    /** The first of the largest; a NaN is larger than all, and both zeros are one number. */
    private static void argmax(Draft d) {
        int rows = d.dim(0);
        int n = d.dim(1);
        Operand ids = d.out("tokenIds", DType.I64, rows);
        Operand logits = switch (d.variant()) {
            case MINUS_INFINITE -> d.of("logits", d.dtype(), filled(rows * n, Double.NEGATIVE_INFINITY), rows, n);
            case ALL_EQUAL -> d.of("logits", d.dtype(), filled(rows * n, -1.5), rows, n);
            default -> d.data("logits", d.dtype(), rows, n);
        };
        ids.expect(() -> {
            long[] best = new long[rows];
            for (int r = 0; r < rows; r++) {
                best[r] = first(logits.values(), r * n, n);
            }
            return Expected.integers(best);
        });
        d.call((ops, q, t) -> ops.greedyArgmax(q, t[0], t[1]));
    }

    private static double[] filled(int n, double value) {
        double[] all = new double[n];
        Arrays.fill(all, value);
        return all;
    }

    private static int first(double[] x, int from, int n) {
        int best = 0;
        for (int i = 0; i < n; i++) {
            if (Double.isNaN(x[from + i])) {
                return i;
            }
            if (x[from + i] > x[from + best]) {
                best = i;
            }
        }
        return best;
    }

    private static void sample(Draft d) {
        int rows = d.dim(0);
        int n = d.dim(1);
        Operand ids = d.out("tokenIds", DType.I64, rows);
        double[] shares = new double[rows * n];
        for (int i = 0; i < shares.length; i++) {
            boolean none = d.variant() == ALL_ZERO
                    || d.variant() == SOME_ZERO && d.random().nextInt(4) != 0;
            shares[i] = none ? 0 : Math.exp(3 * d.random().nextGaussian()) / n;
        }
        Operand probs = d.of("probs", DType.F32, withNaN(d.pattern(), shares, n), rows, n);
        long[] seeds = d.random().longs(rows).toArray();
        d.integers("seeds", DType.I64, i -> seeds[(int) i], rows);
        ids.expect(() ->
                Expected.judged(given -> wrongDraw(probs.values(), n, seeds, Floats.integers(DType.I64, given))));
        d.call((ops, q, t) -> ops.randomSample(q, t[0], t[1], t[2]));
    }

    private static double[] withNaN(Pattern pattern, double[] shares, int n) {
        for (int i = 0; i < shares.length; i++) {
            boolean nan = switch (pattern) {
                case NAN_FIRST -> i % n == 0;
                case NAN_MIDDLE -> i % n == n / 2;
                case NAN_LAST -> i % n == n - 1;
                case NAN_ALL -> true;
                default -> false;
            };
            shares[i] = nan ? Double.NaN : shares[i];
        }
        return shares;
    }

    private static @Nullable String wrongDraw(double[] probs, int n, long[] seeds, long[] given) {
        for (int r = 0; r < seeds.length; r++) {
            double[] scores = new double[n];
            for (int c = 0; c < n; c++) {
                double p = probs[r * n + c];
                scores[c] = p == 0 ? 0 : p / noise(seeds[r], r, c);
            }
            int best = first(scores, 0, n);
            boolean right = given[r] == best
                    || given[r] >= 0
                            && given[r] < n
                            && scores[(int) given[r]] > scores[best] * (1 - TIE)
                            && scores[best] > 0;
            if (!right) {
                return "[" + r + "]: expected " + best + ", got " + given[r];
            }
        }
        return null;
    }

    /** As the op's contract defines it: output {@code column} of a SplitMix64 that starts at a hash of seed and row. */
    private static double noise(long seed, long row, long column) {
        long gamma = 0x9e3779b97f4a7c15L;
        long hash = mixed(mixed(seed + (row + 1) * gamma) + (column + 1) * gamma);
        return -Math.log(((hash >>> 11) + 0.5) / 0x1p53);
    }

    private static long mixed(long z) {
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
