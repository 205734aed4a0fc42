package dev.vt.conformance.catalogue;

import dev.vt.ops.kernel.AttentionParams;

/** Attention of one query over some keys, in double. Pure functions. */
final class Softmax {
    private Softmax() {}

    /**
     * Writes one head of an output, and the sizes that its error goes with.
     *
     * @param at where the query starts, and the output
     * @param places where each key starts, and its value
     */
    static void attend(
            AttentionParams params,
            double[] query,
            int at,
            int dim,
            double[] keys,
            double[] values,
            int[] places,
            double[] out,
            double[] sizes) {
        double[] scores = new double[places.length];
        double max = Double.NEGATIVE_INFINITY;
        double off = 0;
        for (int i = 0; i < places.length; i++) {
            double size = 0;
            for (int j = 0; j < dim; j++) {
                double product = params.scale() * query[at + j] * keys[places[i] + j];
                scores[i] += product;
                size += Math.abs(product);
            }
            scores[i] = capped(scores[i], params.softCap());
            max = Math.max(max, scores[i]);
            off = Math.max(off, params.softCap() == 0 ? size : Math.min(size, params.softCap()));
        }
        double sum = 0;
        for (int i = 0; i < places.length; i++) {
            scores[i] = Math.exp(scores[i] - max);
            sum += scores[i];
        }
        for (int i = 0; i < places.length; i++) {
            for (int j = 0; j < dim; j++) {
                double product = scores[i] / sum * values[places[i] + j];
                out[at + j] += product;
                // A score that is off by so much changes its weight by that share.
                sizes[at + j] += Math.abs(product) * (1 + off);
            }
        }
    }

    private static double capped(double score, double cap) {
        return cap == 0 ? score : cap * Math.tanh(score / cap);
    }
}
