package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.Arrays;
import java.util.List;

/** Attention without a cache, and the merging of two: {@code attention}, {@code merge_attn_states}. */
final class DenseAttention {
    /** Two exponentials, their sum, two divisions, two products and a sum. */
    private static final double MERGE_ROUNDINGS = 10;

    private static final double INFINITE = Double.POSITIVE_INFINITY;

    /** Pairs of logarithms that stand out: nothing seen, a sum that overflowed, far apart, NaN. */
    private static final double[][] PAIRS = {
        {0, 0},
        {-INFINITE, 2},
        {2, -INFINITE},
        {-INFINITE, -INFINITE},
        {INFINITE, 2},
        {INFINITE, -INFINITE},
        {INFINITE, INFINITE},
        {300, 299},
        {-300, 200},
        {3e38, -3e38},
        {Double.NaN, 1},
        {1, Double.NaN},
    };

    private DenseAttention() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.ATTENTION, "TxHqxHkxD")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "last-key-nan")
                        .quick("1x2x1x8", "5x4x2x16", "17x6x3x33")
                        .full(
                                "0x4x2x8",
                                "3x0x0x8",
                                "1x1x1x1",
                                "15x2x1x7",
                                "16x8x8x64",
                                "9x32x1x8",
                                "31x15x5x127",
                                "33x4x1x128",
                                "257x2x2x64",
                                "131x3x1x129")
                        .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.ZERO)
                        .makes(DenseAttention::attention),
                OpSpec.of(OpTable.MERGE_ATTN_STATES, "TxHxD")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "no-lse", "extremes")
                        .quick("1x2x8", "5x3x33", "6x4x64")
                        .full("0x4x8", "3x0x8", "1x1x1", "7x5x127", "12x1x128", "3x16x129", "2x3x1021")
                        .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.ZERO)
                        .makes(DenseAttention::merge));
    }

    private static void attention(Draft d) {
        int t = d.dim(0);
        int heads = d.dim(1);
        int keyHeads = d.dim(2);
        int width = d.dim(3);
        Operand out = d.out("out", d.stored(), t, heads, width);
        Operand q = d.normal("query", d.dtype(), t, heads, width);
        boolean inValues = d.pattern() == Pattern.INFINITE;
        Operand k = inValues ? d.normal("key", d.dtype(), t, keyHeads, width) : lastNan(d, "key", t, keyHeads, width);
        Operand v = inValues
                ? d.data("value", d.dtype(), t, keyHeads, width)
                : d.normal("value", d.dtype(), t, keyHeads, width);
        float scale = (float) (1 / Math.sqrt(width));
        out.expect(() -> {
            SoftmaxSums sums = new SoftmaxSums(t * heads, width, width, t, scale);
            for (int r = 0; r < t * heads; r++) {
                int keyHead = r % heads / (heads / keyHeads);
                SoftmaxSums.Seen seen = new SoftmaxSums.Seen(
                        r / heads + 1,
                        k.values(),
                        j -> (j * keyHeads + keyHead) * width,
                        v.values(),
                        j -> (j * keyHeads + keyHead) * width);
                sums.row(r, q.values(), r * width, seen);
            }
            return sums.results();
        });
        d.flops(2.0 * t * (t + 1) * heads * width);
        d.call((ops, queue, ts) -> ops.attention(queue, ts[0], ts[1], ts[2], ts[3], scale));
    }

    /** The case's data; in the second variant the last row is NaN, which only the last query may see. */
    private static Operand lastNan(Draft d, String name, int t, int heads, int width) {
        if (d.variant() == 0 || t == 0) {
            return d.data(name, d.dtype(), t, heads, width);
        }
        double[] values = d.random().doubles((long) t * heads * width, -2, 2).toArray();
        Arrays.fill(values, (t - 1) * heads * width, values.length, Double.NaN);
        return d.of(name, d.dtype(), values, t, heads, width);
    }

    private static void merge(Draft d) {
        int t = d.dim(0);
        int heads = d.dim(1);
        int width = d.dim(2);
        Operand out = d.out("out", d.stored(), t, heads, width);
        Operand lse = d.variant() == 1 ? null : d.out("outLse", DType.F32, heads, t);
        Operand prefix = d.data("prefix", d.dtype(), t, heads, width);
        Operand prefixLse = logs(d, "prefixLse", 0, heads, t);
        Operand suffix = d.normal("suffix", d.dtype(), t, heads, width);
        Operand suffixLse = logs(d, "suffixLse", 1, heads, t);
        double[] first = prefixLse.values();
        double[] second = suffixLse.values();
        out.expect(() -> {
            double[] values = new double[t * heads * width];
            double[] sizes = new double[t * heads * width];
            for (int i = 0; i < values.length; i++) {
                int head = i / width % heads;
                double[] w = weights(first[head * t + i / width / heads], second[head * t + i / width / heads]);
                double a = prefix.values()[i];
                double b = suffix.values()[i];
                values[i] = w[2] == Double.NEGATIVE_INFINITY ? a : w[0] * a + w[1] * b;
                sizes[i] = w[0] * Math.abs(a) + w[1] * Math.abs(b);
            }
            return Expected.close(values, sizes, MERGE_ROUNDINGS);
        });
        if (lse != null) {
            lse.expect(() -> {
                double[] values = new double[heads * t];
                double[] sizes = new double[heads * t];
                for (int i = 0; i < values.length; i++) {
                    values[i] = weights(first[i], second[i])[2];
                    sizes[i] = 1 + Math.abs(values[i]);
                }
                return Expected.close(values, sizes, MERGE_ROUNDINGS);
            });
        }
        d.call(
                lse == null
                        ? (ops, q, ts) -> ops.mergeAttnStates(q, ts[0], null, ts[1], ts[2], ts[3], ts[4])
                        : (ops, q, ts) -> ops.mergeAttnStates(q, ts[0], ts[1], ts[2], ts[3], ts[4], ts[5]));
    }

    private static Operand logs(Draft d, String name, int which, int heads, int t) {
        if (d.variant() < 2) {
            return d.uniform(name, -5, 5, DType.F32, heads, t);
        }
        double[] values = new double[heads * t];
        Arrays.setAll(values, i -> PAIRS[i % PAIRS.length][which]);
        return d.of(name, DType.F32, values, heads, t);
    }

    /** The weights of both parts and the logarithm of the common sum. */
    private static double[] weights(double first, double second) {
        double a = first == INFINITE ? -INFINITE : first;
        double b = second == INFINITE ? -INFINITE : second;
        double max = Math.max(a, b);
        double x = max == -INFINITE ? 1 : Math.exp(a - max);
        double y = max == -INFINITE ? 0 : Math.exp(b - max);
        return new double[] {x / (x + y), y / (x + y), max == -INFINITE ? max : max + Math.log(x + y)};
    }
}
