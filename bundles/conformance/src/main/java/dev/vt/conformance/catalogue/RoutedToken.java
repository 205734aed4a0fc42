package dev.vt.conformance.catalogue;

import dev.vt.ops.kernel.RouterParams;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The experts of one token by the definition: everything is sorted, in double. */
final class RoutedToken {
    private final double[] logits;
    private final int from;
    private final RouterParams params;
    private final double max;
    private final double sum;
    private final int[] chosen;
    private final double margin;

    RoutedToken(double[] logits, int from, int experts, int k, RouterParams params, double @Nullable [] bias) {
        this.logits = logits;
        this.from = from;
        this.params = params;
        max = IntStream.range(0, experts)
                .mapToDouble(e -> logits[from + e])
                .reduce(Double.NEGATIVE_INFINITY, Math::max);
        sum = IntStream.range(0, experts)
                .mapToDouble(e -> Math.exp(logits[from + e] - max))
                .sum();
        double[] choice = new double[experts];
        for (int e = 0; e < experts; e++) {
            choice[e] = bias == null ? logits[from + e] : score(e) + bias[e];
        }
        int size = experts / params.groups();
        double[] groups = new double[params.groups()];
        for (int g = 0; g < groups.length; g++) {
            groups[g] = groupScore(choice, g * size, size, bias == null ? 1 : 2);
        }
        List<Integer> order = descending(groups);
        List<Integer> kept = order.subList(0, params.topGroups());
        List<Integer> eligible =
                descending(choice).stream().filter(e -> kept.contains(e / size)).toList();
        chosen = eligible.stream().limit(k).mapToInt(e -> e).toArray();
        margin = Math.min(gap(groups, order, params.topGroups() - 1, params.topGroups()), gap(choice, eligible, 0, k));
    }

    private static double groupScore(double[] choice, int first, int size, int counted) {
        double[] own = new double[size];
        System.arraycopy(choice, first, own, 0, size);
        return descending(own).stream().limit(counted).mapToDouble(e -> own[e]).sum();
    }

    /** Largest first, a NaN before all, the lower index first on a tie. */
    private static List<Integer> descending(double[] x) {
        Comparator<Integer> byValue = Comparator.comparingDouble(i -> x[i] == 0 ? 0.0 : x[i]);
        return IntStream.range(0, x.length)
                .boxed()
                .sorted(byValue.reversed().thenComparing(i -> i))
                .toList();
    }

    /**
     * The smallest distance between neighbours that are not equal, from places {@code first} to {@code last} on to the next. Equal
     * ones come from equal numbers, and are equal in any arithmetic.
     */
    private static double gap(double[] x, List<Integer> order, int first, int last) {
        double smallest = Double.POSITIVE_INFINITY;
        for (int i = first; i < last && i + 1 < order.size(); i++) {
            double distance = x[order.get(i)] - x[order.get(i + 1)];
            smallest = distance == 0 ? smallest : Math.min(smallest, distance);
        }
        return smallest;
    }

    /** The chosen experts, best first. */
    int[] experts() {
        return chosen.clone();
    }

    /** How near the choice was to another one. */
    double margin() {
        return margin;
    }

    /**
     * The weights, and their sizes with what the rounding of the exponents adds: a difference of d is off by d units before it is an
     * exponent, and the score by that much of itself.
     */
    void weights(double[] y, double[] sizes, int at, double roundings) {
        double total = 0;
        double furthest = 0;
        for (int expert : chosen) {
            total += score(expert);
            furthest = Math.max(furthest, Math.abs(exponent(expert)));
        }
        for (int i = 0; i < chosen.length; i++) {
            double score = score(chosen[i]);
            double weight = params.renormalise() && total != 0 ? score / total : score;
            y[at + i] = weight * params.scale();
            double distance = Double.isFinite(furthest) ? furthest : 0;
            sizes[at + i] = Math.abs(y[at + i]) * (1 + distance / roundings);
        }
    }

    private double exponent(int expert) {
        return params.sigmoid() ? -logits[from + expert] : logits[from + expert] - max;
    }

    private double score(int expert) {
        double e = Math.exp(exponent(expert));
        return params.sigmoid() ? 1 / (1 + e) : e / sum;
    }
}
