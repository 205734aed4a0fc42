package dev.vt.conformance.catalogue;

import dev.vt.conformance.spec.Expected;
import java.util.BitSet;
import java.util.function.IntUnaryOperator;

/**
 * Rows of attention in double: weights are exp(score) over their sum, a result is the weighted sum of values. One thread.
 *
 * <p>A score is a sum of products; its error, a few roundings of the size of its terms, changes the logarithm of its weight, and so do
 * the errors of all other scores through the sum. The weighted sum adds its own roundings. Both go into the magnitudes, so that one
 * number of roundings fits all elements.
 */
final class SoftmaxSums {
    /** The exponentials, the sum, the division and the products of weights with values. */
    private static final double OTHERS = 16;

    private final int keyWidth;
    private final int valueWidth;
    private final double scale;
    private final double roundings;
    private final double[] values;
    private final double[] sizes;
    private final double[] logs;
    private final double[] logSizes;
    private final BitSet open;

    /** Rows whose queries see {@code most} keys at most. */
    SoftmaxSums(int rows, int keyWidth, int valueWidth, int most, double scale) {
        this.keyWidth = keyWidth;
        this.valueWidth = valueWidth;
        this.scale = scale;
        this.roundings = Expected.sumOf(most) + OTHERS;
        this.values = new double[rows * valueWidth];
        this.sizes = new double[rows * valueWidth];
        this.logs = new double[rows];
        this.logSizes = new double[rows];
        this.open = new BitSet(rows);
        open.set(0, rows);
    }

    /** The first elements of the n key and value rows that a query sees. */
    record Seen(int n, double[] keys, IntUnaryOperator key, double[] values, IntUnaryOperator value) {}

    /** Works out a row from the query whose first element is {@code q[at]}. */
    void row(int row, double[] q, int at, Seen seen) {
        open.clear(row);
        int n = seen.n();
        double[] weight = new double[n];
        double[] size = new double[n];
        double max = Double.NEGATIVE_INFINITY;
        for (int j = 0; j < n; j++) {
            int from = seen.key().applyAsInt(j);
            for (int i = 0; i < keyWidth; i++) {
                double product = scale * q[at + i] * seen.keys()[from + i];
                weight[j] += product;
                size[j] += Math.abs(product);
            }
            max = Math.max(max, weight[j]);
        }
        double sum = 0;
        double spread = 0;
        for (int j = 0; j < n; j++) {
            weight[j] = Math.exp(weight[j] - max);
            sum += weight[j];
            spread += weight[j] * size[j];
        }
        double mean = n == 0 ? 0 : spread / sum;
        double unit = Expected.sumOf(keyWidth) / roundings;
        logs[row] = n == 0 ? Double.NEGATIVE_INFINITY : max + Math.log(sum);
        logSizes[row] = mean * unit + 1 + Math.abs(max);
        for (int j = 0; j < n; j++) {
            int from = seen.value().applyAsInt(j);
            double w = weight[j] / sum;
            for (int i = 0; i < valueWidth; i++) {
                double term = w * seen.values()[from + i];
                values[row * valueWidth + i] += term;
                sizes[row * valueWidth + i] += Math.abs(term) * (1 + unit * (size[j] + mean));
            }
        }
    }

    /** The results; rows that were not worked out are to be left alone. */
    Expected results() {
        BitSet untouched = new BitSet();
        open.stream().forEach(r -> untouched.set(r * valueWidth, (r + 1) * valueWidth));
        return Expected.close(values, sizes, roundings).untouched(untouched);
    }

    /** The logarithms of the sums of exp(score), for rows [T,H]. */
    Expected logarithms() {
        return Expected.close(logs, logSizes, roundings).untouched(open);
    }

    /** The same with the heads first: [H,T]. */
    Expected logarithmsByHead(int heads) {
        int rows = heads == 0 ? 0 : logs.length / heads;
        double[] turned = new double[logs.length];
        double[] turnedSizes = new double[logs.length];
        BitSet untouched = new BitSet();
        for (int r = 0; r < logs.length; r++) {
            int at = r % heads * rows + r / heads;
            turned[at] = logs[r];
            turnedSizes[at] = logSizes[r];
            untouched.set(at, open.get(r));
        }
        return Expected.close(turned, turnedSizes, roundings).untouched(untouched);
    }
}
