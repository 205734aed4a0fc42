package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.RouterParams;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MoeRouterKernelTest {
    private static final double NAN = Double.NaN;
    private static final double INF = Double.POSITIVE_INFINITY;

    private record Routed(double[] weights, double[] experts) {}

    private static Routed route(Queue queue, Tensor logits, @Nullable Tensor bias, int k, RouterParams params) {
        Tensor weights = Data.empty(DType.F32, 4, 0, logits.dim(0), k);
        Tensor indices = Data.empty(DType.I32, 8, 0, logits.dim(0), k);
        assertEquals(Outcome.SERVED, new MoeRouterTopKKernel().run(queue, weights, indices, logits, bias, params));
        Data.assertOutsideUntouched(weights, "weights");
        Data.assertOutsideUntouched(indices, "indices");
        return new Routed(Data.read(weights), Data.read(indices));
    }

    private static Routed route(double[] logits, double @Nullable [] bias, int k, RouterParams params) {
        Tensor b = bias == null ? null : Data.of(DType.F32, bias, bias.length);
        Tensor x = Data.of(DType.F32, logits, 1, logits.length);
        return route(new InlineQueue(InlineQueue.Cut.WHOLE), x, b, k, params);
    }

    /** Straight from the definition, by sorting. */
    private static Routed expected(Tensor logits, double @Nullable [] bias, int k, RouterParams p) {
        int experts = (int) logits.dim(1);
        double[] weights = new double[(int) logits.dim(0) * k];
        double[] chosen = new double[weights.length];
        double[] all = Data.read(logits);
        for (int t = 0; t < logits.dim(0); t++) {
            double[] x = Arrays.copyOfRange(all, t * experts, (t + 1) * experts);
            double sum = Arrays.stream(x).map(Math::exp).sum();
            double[] score = Arrays.stream(x)
                    .map(v -> p.sigmoid() ? 1 / (1 + Math.exp(-v)) : Math.exp(v) / sum)
                    .toArray();
            double[] choice = IntStream.range(0, experts)
                    .mapToDouble(e -> bias == null ? x[e] : score[e] + bias[e])
                    .toArray();
            int size = experts / p.groups();
            List<Integer> groups = sorted(IntStream.range(0, p.groups())
                    .mapToDouble(g -> Arrays.stream(choice, g * size, (g + 1) * size)
                            .map(v -> -v)
                            .sorted()
                            .limit(bias == null ? 1 : 2)
                            .map(v -> -v)
                            .sum())
                    .toArray());
            List<Integer> kept = groups.subList(0, p.topGroups());
            List<Integer> order = sorted(choice).stream()
                    .filter(e -> kept.contains(e / size))
                    .limit(k)
                    .toList();
            double total =
                    p.renormalise() ? order.stream().mapToDouble(e -> score[e]).sum() : 1;
            for (int i = 0; i < k; i++) {
                chosen[t * k + i] = order.get(i);
                weights[t * k + i] = score[order.get(i)] / total * p.scale();
            }
        }
        return new Routed(weights, chosen);
    }

    private static List<Integer> sorted(double[] x) {
        return IntStream.range(0, x.length)
                .boxed()
                .sorted(Comparator.comparingDouble((Integer i) -> -x[i]).thenComparing(i -> i))
                .toList();
    }

    @Test
    @DisplayName("moe_router_top_k: dtypes, sizes, both scores, groups with and without bias, every cut")
    void sizes() {
        int[][] sizes = {{1, 1, 1, 1, 1}, {3, 8, 2, 4, 2}, {5, 64, 6, 8, 3}, {2, 60, 4, 1, 1}, {9, 7, 7, 7, 7}};
        for (Queue queue : InlineQueue.all()) {
            for (DType dtype : List.of(DType.F32, DType.F16, DType.BF16)) {
                for (int[] s : sizes) {
                    double[] bias = Data.random(s[1], s[1]);
                    Tensor b = Data.of(DType.F32, bias, s[1]);
                    Tensor x = Data.of(dtype, 4, 0, Data.random(3, (long) s[0] * s[1]), s[0], s[1]);
                    for (int variant = 0; variant < 8; variant++) {
                        RouterParams p =
                                new RouterParams((variant & 1) != 0, (variant & 2) != 0, s[3], s[4], 1 + variant / 2f);
                        boolean biased = (variant & 4) != 0;
                        Routed got = route(queue, x, biased ? b : null, s[2], p);
                        Routed want = expected(x, biased ? Data.read(b) : null, s[2], p);
                        String what = dtype + " " + Arrays.toString(s) + " " + p + " biased " + biased;
                        assertArrayEquals(want.experts(), got.experts(), what);
                        assertArrayEquals(want.weights(), got.weights(), 1e-6 * p.scale(), what);
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("moe_router_top_k: ties go to the lowest expert and to the lowest group")
    void ties() {
        RouterParams plain = RouterParams.softmax(true);
        assertArrayEquals(
                new double[] {0, 1}, route(new double[6], null, 2, plain).experts());
        assertArrayEquals(
                new double[] {1, 3},
                route(new double[] {0, 2, 1, 2, 2}, null, 2, plain).experts());
        RouterParams grouped = new RouterParams(true, true, 3, 1, 1f);
        double[] tie = {0, 1, 1, 0, 1, 0};
        assertArrayEquals(new double[] {1, 0}, route(tie, null, 2, grouped).experts());
        assertArrayEquals(
                new double[] {1, 0}, route(tie, new double[6], 2, grouped).experts());
        double[] big = {90, 80, 100, 70};
        assertArrayEquals(
                new double[] {2, 0, 1, 3},
                route(big, null, 4, RouterParams.sigmoid(false)).experts());
    }

    @Test
    @DisplayName("moe_router_top_k: the bias moves the choice and never the weight; a group counts its two best")
    void bias() {
        RouterParams p = new RouterParams(true, false, 2, 1, 2f);
        Routed r = route(new double[] {3, -9, 1, 1}, new double[] {0, 0, 0, 0}, 1, p);
        assertArrayEquals(new double[] {2}, r.experts());
        assertEquals(2 / (1 + Math.exp(-1)), r.weights()[0], 1e-6);
        r = route(new double[] {3, -9, 1, 1}, new double[] {0, 5, 0, 0}, 1, p);
        assertArrayEquals(new double[] {1}, r.experts());
        assertEquals(2 / (1 + Math.exp(9)), r.weights()[0], 1e-9);
        r = route(new double[] {3, -9, 1, 1}, null, 1, p);
        assertArrayEquals(new double[] {0}, r.experts());
    }

    @Test
    @DisplayName("O4.13 moe_router_top_k: a NaN counts as the largest wherever it is, and its weight is NaN")
    void nan() {
        for (int at = 0; at < 4; at++) {
            double[] x = {1, INF, -INF, 0};
            x[at] = NAN;
            Routed r = route(x, null, 2, RouterParams.sigmoid(false));
            assertEquals(at, r.experts()[0]);
            assertEquals(NAN, r.weights()[0]);
            assertEquals(at == 1 ? 0 : 1, r.experts()[1]);
            assertEquals(at == 1 ? 1 / (1 + Math.exp(-1)) : 1, r.weights()[1], 1e-6);
            Routed soft = route(x, null, 2, RouterParams.softmax(true));
            assertArrayEquals(r.experts(), soft.experts());
            assertArrayEquals(new double[] {NAN, NAN}, soft.weights());
            Routed biased = route(x, new double[] {0, 0, 9, 0}, 1, new RouterParams(true, true, 2, 1, 1f));
            assertEquals(at, biased.experts()[0]);
        }
        assertArrayEquals(
                new double[] {0, 1, 2},
                route(new double[] {NAN, NAN, NAN}, null, 3, RouterParams.sigmoid(true))
                        .experts());
    }

    @Test
    @DisplayName("moe_router_top_k: infinities; weights of 0 stay 0 when renormalised")
    void infinities() {
        Routed r = route(new double[] {-INF, -INF, -INF}, null, 2, RouterParams.sigmoid(true));
        assertArrayEquals(new double[] {0, 1}, r.experts());
        assertArrayEquals(new double[] {0, 0}, r.weights());
        r = route(new double[] {0, -INF, 0}, null, 3, RouterParams.softmax(true));
        assertArrayEquals(new double[] {0, 2, 1}, r.experts());
        assertArrayEquals(new double[] {0.5, 0.5, 0}, r.weights());
        r = route(new double[] {1e30, 1, 2e30}, null, 2, RouterParams.softmax(false));
        assertArrayEquals(new double[] {2, 0}, r.experts());
        assertArrayEquals(new double[] {1, 0}, r.weights());
    }

    @Test
    @DisplayName("O4.11 moe_router_top_k: no tokens, no experts asked for")
    void empty() {
        for (Queue queue : InlineQueue.all()) {
            route(queue, Data.empty(DType.F32, 0, 0, 0, 4), null, 2, RouterParams.softmax(true));
            route(queue, Data.of(DType.F32, new double[8], 2, 4), null, 0, RouterParams.softmax(true));
        }
    }
}
