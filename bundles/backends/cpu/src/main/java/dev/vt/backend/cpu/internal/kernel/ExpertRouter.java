package dev.vt.backend.cpu.internal.kernel;

import dev.vt.ops.kernel.RouterParams;
import java.util.Arrays;

/**
 * Chooses the experts of one token after another; all arithmetic is in double. Not shared between threads: it has scratch of its
 * own.
 */
final class ExpertRouter {
    private final RouterParams params;
    private final float[] bias;
    private final boolean biased;
    private final float[] logits;
    private final double[] choice;
    private final boolean[] barred;
    private final int groupSize;
    private double max;
    private double sum;

    /** A router for rows as long as {@code bias}, which counts if there is one. */
    ExpertRouter(RouterParams params, float[] bias, boolean biased) {
        this.params = params;
        this.bias = bias;
        this.biased = biased;
        this.logits = new float[bias.length];
        this.choice = new double[bias.length];
        this.barred = new boolean[bias.length];
        this.groupSize = bias.length / params.groups();
    }

    /** Where a row of logits goes before {@link #route}. */
    float[] logits() {
        return logits;
    }

    /** The best experts, best first, and their weights. */
    void route(int[] experts, double[] weights) {
        if (!params.sigmoid()) {
            readSoftmax();
        }
        for (int e = 0; e < choice.length; e++) {
            choice[e] = biased ? score(e) + bias[e] : logits[e];
        }
        Arrays.fill(barred, false);
        if (params.topGroups() < params.groups()) {
            keepGroups();
        }
        for (int i = 0; i < experts.length; i++) {
            experts[i] = best(choice, barred, 0, choice.length);
            barred[experts[i]] = true;
            weights[i] = score(experts[i]);
        }
        finish(weights);
    }

    private void readSoftmax() {
        max = Sums.max(logits, logits.length);
        sum = 0;
        for (float logit : logits) {
            sum += Math.exp(logit - max);
        }
    }

    private double score(int expert) {
        return params.sigmoid() ? 1.0 / (1.0 + Math.exp(-logits[expert])) : Math.exp(logits[expert] - max) / sum;
    }

    private void keepGroups() {
        double[] ofGroup = new double[params.groups()];
        for (int g = 0; g < ofGroup.length; g++) {
            ofGroup[g] = groupScore(g * groupSize);
        }
        boolean[] kept = new boolean[ofGroup.length];
        for (int i = 0; i < params.topGroups(); i++) {
            kept[best(ofGroup, kept, 0, kept.length)] = true;
        }
        for (int e = 0; e < barred.length; e++) {
            barred[e] = !kept[e / groupSize];
        }
    }

    private double groupScore(int from) {
        int first = best(choice, barred, from, from + groupSize);
        if (!biased || groupSize == 1) {
            return choice[first];
        }
        barred[first] = true;
        int second = best(choice, barred, from, from + groupSize);
        barred[first] = false;
        return choice[first] + choice[second];
    }

    /** The largest of what is not passed over, the first on a tie; a NaN counts as the largest. */
    private static int best(double[] x, boolean[] passed, int from, int to) {
        int best = -1;
        for (int i = from; i < to; i++) {
            if (!passed[i] && (best < 0 || x[i] > x[best] || (Double.isNaN(x[i]) && !Double.isNaN(x[best])))) {
                best = i;
            }
        }
        return best;
    }

    private void finish(double[] weights) {
        double total = 0;
        for (double w : weights) {
            total += w;
        }
        double factor = params.renormalise() && total != 0 ? params.scale() / total : params.scale();
        for (int i = 0; i < weights.length; i++) {
            weights[i] *= factor;
        }
    }
}
