package dev.vt.model;

import dev.vt.model.TinyModel.Routing;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * One layer's mixture of experts for one token, in double precision and plain loops: all experts are scored, all are sorted, those that
 * are used are computed one after the other. Shares nothing with the code under test.
 */
final class ReferenceMixture {
    private final Sizes m;
    private final Function<String, float[]> weights;
    private final String prefix;

    /** What a mixture is like. */
    record Sizes(int width, int experts, int used, int expertWidth, int sharedWidth, Routing routing) {}

    /** A layer whose tensors have names that begin so. */
    ReferenceMixture(Sizes sizes, Function<String, float[]> weights, String prefix) {
        this.m = sizes;
        this.weights = weights;
        this.prefix = prefix;
    }

    double[] of(double[] h) {
        double[] logits = multiply(h, weights.apply(prefix + "ffn_gate_inp.weight"), 0, m.experts());
        double[] scores = m.routing().sigmoid() ? sigmoids(logits) : softmax(logits);
        List<Integer> used = best(choice(logits, scores), eligible(choice(logits, scores)), m.used());
        double total = 0;
        for (int e : used) {
            total += scores[e];
        }
        double[] out = new double[m.width()];
        for (int e : used) {
            double weight = m.routing().scale() * scores[e] / (m.routing().normed() ? total : 1);
            add(out, expert(h, "_exps", e, m.expertWidth()), weight);
        }
        if (m.sharedWidth() > 0) {
            float[] gate = weights.apply(prefix + "ffn_gate_inp_shexp.weight");
            double weight = gate == null ? 1 : 1 / (1 + Math.exp(-multiply(h, gate, 0, 1)[0]));
            add(out, expert(h, "_shexp", 0, m.sharedWidth()), weight);
        }
        return out;
    }

    private static double[] softmax(double[] logits) {
        double[] out = new double[logits.length];
        double sum = 0;
        for (int i = 0; i < out.length; i++) {
            out[i] = Math.exp(logits[i]);
            sum += out[i];
        }
        for (int i = 0; i < out.length; i++) {
            out[i] /= sum;
        }
        return out;
    }

    private static double[] sigmoids(double[] logits) {
        double[] out = new double[logits.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = 1 / (1 + Math.exp(-logits[i]));
        }
        return out;
    }

    private double[] choice(double[] logits, double[] scores) {
        float[] bias = weights.apply(prefix + "exp_probs_b.bias");
        double[] out = logits.clone();
        for (int i = 0; bias != null && i < out.length; i++) {
            out[i] = scores[i] + bias[i];
        }
        return out;
    }

    /** The experts of the best groups; each group counts as its two best. */
    private List<Integer> eligible(double[] choice) {
        int size = m.experts() / m.routing().groups();
        double[] groups = new double[m.routing().groups()];
        List<Integer> all = new ArrayList<>();
        for (int g = 0; g < groups.length; g++) {
            List<Integer> own = new ArrayList<>();
            for (int e = g * size; e < (g + 1) * size; e++) {
                own.add(e);
                all.add(e);
            }
            for (int e : best(choice, own, 2)) {
                groups[g] += choice[e];
            }
        }
        if (groups.length == 1) {
            return all;
        }
        List<Integer> numbers = new ArrayList<>();
        for (int g = 0; g < groups.length; g++) {
            numbers.add(g);
        }
        List<Integer> kept = best(groups, numbers, m.routing().keptGroups());
        return all.stream().filter(e -> kept.contains(e / size)).toList();
    }

    private static List<Integer> best(double[] x, List<Integer> from, int count) {
        return from.stream()
                .sorted(Comparator.comparingDouble((Integer i) -> -x[i]))
                .limit(count)
                .toList();
    }

    private double[] expert(double[] h, String suffix, int index, int inner) {
        double[] gate = multiply(h, weights.apply(prefix + "ffn_gate" + suffix + ".weight"), index, inner);
        double[] up = multiply(h, weights.apply(prefix + "ffn_up" + suffix + ".weight"), index, inner);
        for (int i = 0; i < inner; i++) {
            gate[i] = gate[i] / (1 + Math.exp(-gate[i])) * up[i];
        }
        return multiply(gate, weights.apply(prefix + "ffn_down" + suffix + ".weight"), index, m.width());
    }

    /** x times the index-th of several matrices of {@code rows} rows. */
    private static double[] multiply(double[] x, float[] w, int index, int rows) {
        double[] out = new double[rows];
        for (int o = 0; o < rows; o++) {
            for (int i = 0; i < x.length; i++) {
                out[o] += x[i] * w[(index * rows + o) * x.length + i];
            }
        }
        return out;
    }

    private static void add(double[] sum, double[] x, double factor) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += factor * x[i];
        }
    }
}
