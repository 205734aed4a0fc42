package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.Floats;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.RouterParams;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The choice of experts: {@code moe_router_top_k}. */
final class ExpertRouting {
    /** An exponential, a quotient, the division by the sum of the weights and the scale, each off by a few units. */
    private static final double SCORED = 20;

    /** Choices by score and bias that are nearer to each other may change places on a device without doubles. */
    private static final double MARGIN = 1e-5;

    /** Rows are drawn again until no two choices are that near. */
    private static final int DRAWS = 100;

    private static final int SIGMOID = 1;
    private static final int RENORMALISED = 2;
    private static final int GROUPED = 3;
    private static final int BIASED = 4;
    private static final int GROUPED_BIASED = 5;
    private static final int SINGLE_GROUPS = 6;
    private static final int NO_WEIGHT = 7;

    private ExpertRouting() {}

    static List<OpSpec> all() {
        return List.of(OpSpec.of(OpTable.MOE_ROUTER_TOP_K, "TxExK")
                .dtypes(Dtypes.FLOATS)
                .variants(
                        "",
                        "sigmoid",
                        "renormalised",
                        "groups",
                        "bias",
                        "groups and bias",
                        "groups of one and bias",
                        "no weight at all")
                .except(p -> p.variant() == NO_WEIGHT && p.pattern() != Pattern.NORMAL)
                .quick("1x8x2", "3x32x5", "5x64x6")
                .full(
                        "0x8x2",
                        "3x8x0",
                        "1x4x1",
                        "2x4x2",
                        "7x12x3",
                        "4x60x4",
                        "3x124x8",
                        "3x128x8",
                        "2x132x8",
                        "67x256x8",
                        "1x1028x32")
                .patterns(
                        Pattern.TIES,
                        Pattern.NAN_MIDDLE,
                        Pattern.NAN_FIRST,
                        Pattern.NAN_LAST,
                        Pattern.NAN_ALL,
                        Pattern.NAN_AND_INFINITE,
                        Pattern.INFINITE,
                        Pattern.MINUS_INFINITE,
                        Pattern.ZERO)
                .makes(ExpertRouting::route));
    }

    private static RouterParams params(int variant, int experts) {
        return switch (variant) {
            case SIGMOID, NO_WEIGHT -> RouterParams.sigmoid(true);
            case RENORMALISED -> RouterParams.softmax(true);
            case GROUPED -> new RouterParams(false, false, 4, 3, 1f);
            case BIASED -> new RouterParams(true, false, 1, 1, 2.5f);
            case GROUPED_BIASED -> new RouterParams(true, true, 4, 2, 2.5f);
            case SINGLE_GROUPS -> new RouterParams(true, true, experts, Math.max(1, experts * 3 / 4), 0.7f);
            default -> RouterParams.softmax(false);
        };
    }

    private static void route(Draft d) {
        int t = d.dim(0);
        int experts = d.dim(1);
        int k = d.dim(2);
        RouterParams p = params(d.variant(), experts);
        Operand weights = d.out("weights", DType.F32, t, k);
        Operand indices = d.out("indices", DType.I32, t, k);
        double[] bias = d.variant() >= BIASED && d.variant() != NO_WEIGHT ? bias(d, experts) : null;
        Operand logits = logits(d, p, bias);
        if (bias != null) {
            d.of("bias", DType.F32, bias, experts);
        }
        indices.expect(() -> {
            long[] chosen = new long[t * k];
            for (int r = 0; r < t; r++) {
                int[] best = new RoutedToken(logits.values(), r * experts, experts, k, p, bias).experts();
                for (int i = 0; i < k; i++) {
                    chosen[r * k + i] = best[i];
                }
            }
            return Expected.integers(chosen);
        });
        weights.expect(() -> {
            double[] y = new double[t * k];
            double[] sizes = new double[t * k];
            for (int r = 0; r < t; r++) {
                new RoutedToken(logits.values(), r * experts, experts, k, p, bias).weights(y, sizes, r * k, SCORED);
            }
            return Expected.close(y, sizes, SCORED + Expected.sumOf(p.sigmoid() ? k : experts));
        });
        d.flops(4.0 * t * experts);
        d.call((ops, q, x) -> ops.moeRouterTopK(q, x[0], x[1], x[2], x.length > 3 ? x[3] : null, p));
    }

    private static Operand logits(Draft d, RouterParams p, double @Nullable [] bias) {
        int t = d.dim(0);
        int experts = d.dim(1);
        if (d.variant() == NO_WEIGHT) {
            double[] none = new double[t * experts];
            Arrays.fill(none, Double.NEGATIVE_INFINITY);
            return d.of("logits", d.dtype(), none, t, experts);
        }
        return bias == null || d.pattern() != Pattern.NORMAL
                ? d.data("logits", d.dtype(), t, experts)
                : d.of("logits", d.dtype(), clear(d, t, experts, d.dim(2), p, bias), t, experts);
    }

    /** Quarters, so that equal logits with equal biases tie in any arithmetic. */
    private static double[] bias(Draft d, int experts) {
        return d.random().ints(experts, -2, 3).mapToDouble(i -> i * 0.25).toArray();
    }

    /** Rows whose choices are not near to each other. */
    private static double[] clear(Draft d, int t, int experts, int k, RouterParams p, double @Nullable [] bias) {
        double[] all = new double[t * experts];
        for (int r = 0; r < t; r++) {
            for (int draw = 0; draw < DRAWS; draw++) {
                row(d.random(), d.dtype(), all, r * experts, experts);
                if (new RoutedToken(all, r * experts, experts, k, p, bias).margin() > MARGIN) {
                    break;
                }
            }
        }
        return all;
    }

    private static void row(RandomGenerator random, DType dtype, double[] all, int from, int n) {
        for (int i = from; i < from + n; i++) {
            all[i] = Floats.rounded(dtype, 2 * random.nextGaussian());
        }
    }
}
