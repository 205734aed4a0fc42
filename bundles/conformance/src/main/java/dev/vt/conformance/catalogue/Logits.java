package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.List;

/**
 * Ops that change or normalise rows of logits number by number: {@code apply_temperature}, {@code apply_penalties}, {@code
 * compute_probs}, {@code compute_logprobs}.
 */
final class Logits {
    private static final String[] FULL = {
        "0x8", "3x0", "3x1", "1x1", "2x7", "3x255", "4x256", "3x257", "2x1021", "1x8193", "2x32003"
    };

    /** A quotient, or a product with the rounded inverse. */
    private static final double DIVIDED = 3;

    /** Three changes in a row, with a product in each. */
    private static final double PENALISED = 6;

    /** An exponential, a logarithm or a quotient, each off by a few units. */
    private static final double EXPONENTIAL = 12;

    private Logits() {}

    static List<OpSpec> all() {
        Pattern[] patterns = {
            Pattern.NAN_MIDDLE,
            Pattern.LARGE,
            Pattern.NAN_FIRST,
            Pattern.NAN_LAST,
            Pattern.NAN_ALL,
            Pattern.NAN_AND_INFINITE,
            Pattern.INFINITE,
            Pattern.MINUS_INFINITE,
            Pattern.ZERO
        };
        return List.of(
                spec(OpSpec.of(OpTable.APPLY_TEMPERATURE, "RxV"))
                        .variants("", "all random")
                        .patterns(patterns)
                        .makes(Logits::temperature),
                spec(OpSpec.of(OpTable.COMPUTE_PROBS, "RxV")).patterns(patterns).makes(d -> softmax(d, false)),
                spec(OpSpec.of(OpTable.COMPUTE_LOGPROBS, "RxV"))
                        .patterns(patterns)
                        .makes(d -> softmax(d, true)),
                spec(OpSpec.of(OpTable.APPLY_PENALTIES, "RxV"))
                        .patterns(patterns)
                        .makes(Logits::penalties));
    }

    private static OpSpec.Builder spec(OpSpec.Builder builder) {
        return builder.dtypes(DType.F32)
                .quickPatterns(2)
                .quick("1x64", "3x33", "2x301")
                .full(FULL);
    }

    private static void temperature(Draft d) {
        int rows = d.dim(0);
        int n = d.dim(1);
        boolean allRandom = d.variant() == 1;
        Operand logits = d.data("logits", DType.F32, rows, n);
        double[] temperatures = new double[rows];
        for (int r = 0; r < rows; r++) {
            boolean greedy = !allRandom && r % 2 == 0;
            temperatures[r] = greedy ? (r % 4 == 0 ? 0 : 9e-6) : d.random().nextDouble(0.1, 3);
        }
        Operand temperature = d.of("temperature", DType.F32, temperatures, rows);
        logits.expect(() -> {
            double[] y = logits.values().clone();
            for (int i = 0; i < y.length; i++) {
                double t = temperature.values()[i / n];
                y[i] /= t < 1e-5 ? 1 : t;
            }
            return Expected.close(y, DIVIDED);
        });
        d.flops((double) rows * n);
        d.call((ops, q, t) -> ops.applyTemperature(q, t[0], t[1], allRandom));
    }

    private static void softmax(Draft d, boolean log) {
        int rows = d.dim(0);
        int n = d.dim(1);
        Operand out = d.out("out", DType.F32, rows, n);
        Operand x = d.data("x", DType.F32, rows, n);
        out.expect(() -> {
            double[] y = new double[rows * n];
            double[] sizes = new double[rows * n];
            for (int r = 0; r < rows; r++) {
                softmaxRow(x.values(), r * n, n, y, sizes, log);
            }
            return Expected.close(y, sizes, EXPONENTIAL + Expected.sumOf(n));
        });
        d.flops(4.0 * rows * n);
        d.call((ops, q, t) -> {
            if (log) {
                ops.computeLogprobs(q, t[0], t[1]);
            } else {
                ops.computeProbs(q, t[0], t[1]);
            }
        });
    }

    /** A difference as large as d is off by d units before it is an exponent, and the result by that much of its size. */
    private static void softmaxRow(double[] x, int from, int n, double[] y, double[] sizes, boolean log) {
        double max = Double.NEGATIVE_INFINITY;
        for (int i = from; i < from + n; i++) {
            max = Math.max(max, x[i]);
        }
        double sum = 0;
        for (int i = from; i < from + n; i++) {
            sum += Math.exp(x[i] - max);
        }
        for (int i = from; i < from + n; i++) {
            double below = x[i] - max;
            y[i] = log ? below - Math.log(sum) : Math.exp(below) / sum;
            sizes[i] = log ? Math.abs(below) + Math.log(sum) + 1 : y[i] * (1 - below / EXPONENTIAL);
        }
    }

    private static void penalties(Draft d) {
        int rows = d.dim(0);
        int n = d.dim(1);
        Operand logits = d.data("logits", DType.F32, rows, n);
        Operand prompt = d.integers("promptMask", DType.I8, i -> d.random().nextInt(3) == 0 ? 1 : 0, rows, n);
        // Any number but 0 marks a token.
        Operand output = d.integers("outputMask", DType.I8, i -> d.random().nextInt(3) == 0 ? -128 : 0, rows, n);
        Operand counts =
                d.integers("counts", DType.I32, i -> Math.max(0, d.random().nextInt(-2, 5)), rows, n);
        Operand repetition = d.uniform("repetition", 0.5, 2, DType.F32, rows);
        Operand frequency = d.uniform("frequency", -1, 1, DType.F32, rows);
        Operand presence = d.uniform("presence", -1, 1, DType.F32, rows);
        logits.expect(() -> {
            double[] y = logits.values().clone();
            double[] sizes = new double[y.length];
            long[] inPrompt = prompt.integers();
            long[] inOutput = output.integers();
            long[] seen = counts.integers();
            for (int i = 0; i < y.length; i++) {
                double by = inPrompt[i] != 0 || inOutput[i] != 0 ? repetition.values()[i / n] : 1;
                y[i] = y[i] > 0 ? y[i] / by : y[i] * by;
                sizes[i] = Math.abs(y[i]);
                long count = seen[i];
                if (count > 0) {
                    y[i] -= frequency.values()[i / n] * count + presence.values()[i / n];
                    sizes[i] += Math.abs(frequency.values()[i / n]) * count + Math.abs(presence.values()[i / n]);
                }
            }
            return Expected.close(y, sizes, PENALISED);
        });
        d.call((ops, q, t) -> ops.applyPenalties(q, t[0], t[1], t[2], t[3], t[4], t[5], t[6]));
    }
}
