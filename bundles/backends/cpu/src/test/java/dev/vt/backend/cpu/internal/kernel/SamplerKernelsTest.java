package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SamplerKernelsTest {
    private static final double NAN = Double.NaN;
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final int[] WIDTHS = {1, 2, 7, 2048, 2049, 8191, 8193};

    private static double[] logits(long seed, int n) {
        return Arrays.stream(Data.random(seed, n)).map(v -> (float) (v * 9)).toArray();
    }

    private static double[] argmax(double... values) {
        Tensor ids = Data.empty(DType.I64, 0, 0, 1);
        Tensor x = Data.of(DType.F32, values, 1, values.length);
        assertEquals(Outcome.SERVED, new GreedyArgmaxKernel().run(new InlineQueue(InlineQueue.Cut.SEVEN), ids, x));
        return Data.read(ids);
    }

    @Test
    @DisplayName("O4.10 greedy_argmax: every dtype, offset, width around its parts; ties go to the lowest index")
    void greedyArgmax() {
        for (Queue queue : InlineQueue.all()) {
            for (DType dtype : List.of(DType.F32, DType.F16, DType.BF16)) {
                for (int v : WIDTHS) {
                    for (int offset : Data.OFFSETS) {
                        Tensor x = Data.of(dtype, offset, 0, logits(v, 3 * v), 3, v);
                        Tensor ids = Data.empty(DType.I64, offset, 0, 3);
                        new GreedyArgmaxKernel().run(queue, ids, x);
                        for (int r = 0; r < 3; r++) {
                            double[] row = Arrays.copyOfRange(Data.read(x), r * v, (r + 1) * v);
                            double max = Arrays.stream(row).max().orElseThrow();
                            int first = IntStream.range(0, v)
                                    .filter(i -> row[i] == max)
                                    .findFirst()
                                    .orElseThrow();
                            assertEquals(first, Data.get(ids, r), dtype + " V=" + v + " at " + offset);
                        }
                        Data.assertOutsideUntouched(ids, "greedy_argmax");
                    }
                }
            }
        }
        double[] tie = new double[20000];
        tie[8192] = 1;
        tie[19999] = 1;
        assertEquals(8192, argmax(tie)[0]);
        assertEquals(0, argmax(-0.0, 0.0)[0]);
        assertEquals(0, argmax(-INF, -INF)[0]);
    }

    @Test
    @DisplayName("O4.13 argmax takes a NaN for the largest, the first of several")
    void argmaxNan() {
        assertEquals(0, argmax(NAN, 1, INF)[0]);
        assertEquals(1, argmax(INF, NAN, 3, NAN)[0]);
        assertEquals(2, argmax(1, INF, NAN)[0]);
        assertEquals(0, argmax(NAN, NAN)[0]);
        double[] far = new double[20000];
        far[10] = INF;
        far[19000] = NAN;
        assertEquals(19000, argmax(far)[0]);
    }

    @Test
    @DisplayName("O4.11 sampler: no rows do nothing, no columns are declined where one must be chosen")
    void empty() {
        Queue queue = new InlineQueue(InlineQueue.Cut.WHOLE);
        Tensor none = Data.empty(DType.F32, 0, 0, 0, 5);
        Tensor noIds = Data.empty(DType.I64, 0, 0, 0);
        assertEquals(Outcome.SERVED, new GreedyArgmaxKernel().run(queue, noIds, none));
        assertEquals(Outcome.SERVED, new RandomSampleKernel().run(queue, noIds, none, noIds));
        assertEquals(Outcome.SERVED, new SoftmaxKernel(true).run(queue, none, none));
        assertEquals(Outcome.SERVED, new ApplyMinPKernel().run(queue, none, Data.empty(DType.F32, 0, 0, 0)));
        assertEquals(Outcome.SERVED, new ApplyTopKTopPKernel().run(queue, none, null, null));
        Tensor ids = Data.empty(DType.I64, 0, 0, 2);
        Tensor narrow = Data.empty(DType.F32, 0, 0, 2, 0);
        assertEquals(Declines.NO_COLUMNS, new GreedyArgmaxKernel().run(queue, ids, narrow));
        assertEquals(Declines.NO_COLUMNS, new RandomSampleKernel().run(queue, ids, narrow, ids));
        assertEquals(Outcome.SERVED, new SoftmaxKernel(false).run(queue, narrow, narrow));
    }

    @Test
    @DisplayName("O4.10 compute_probs, compute_logprobs: widths, offsets, large logits, the same bits for every cut")
    void softmax() {
        for (int v : WIDTHS) {
            for (int offset : Data.OFFSETS) {
                double[] x = logits(v, 2 * v);
                x[0] = 1e30;
                double[] probs = new double[2 * v];
                double[] logs = new double[2 * v];
                for (int r = 0; r < 2; r++) {
                    double max = Arrays.stream(x, r * v, (r + 1) * v)
                            .map(d -> (float) d)
                            .max()
                            .orElseThrow();
                    double sum = Arrays.stream(x, r * v, (r + 1) * v)
                            .map(d -> Math.exp((float) d - max))
                            .sum();
                    for (int i = r * v; i < (r + 1) * v; i++) {
                        probs[i] = Math.exp((float) x[i] - max) / sum;
                        logs[i] = (float) x[i] - max - Math.log(sum);
                    }
                }
                double[] first = null;
                for (Queue queue : InlineQueue.all()) {
                    Tensor in = Data.of(DType.F32, offset, 0, x, 2, v);
                    Tensor out = Data.empty(DType.F32, offset, 0, 2, v);
                    new SoftmaxKernel(true).run(queue, out, in);
                    Data.assertClose(logs, out, 1, "compute_logprobs V=" + v);
                    new SoftmaxKernel(false).run(queue, out, in);
                    Data.assertClose(probs, out, 1e-3, "compute_probs V=" + v);
                    Data.assertOutsideUntouched(out, "softmax");
                    first = first == null ? Data.read(out) : first;
                    assertArrayEquals(first, Data.read(out));
                }
            }
        }
    }

    @Test
    @DisplayName("O4.13 softmax: a NaN anywhere, +inf or nothing finite make the row NaN; -inf is probability 0")
    void softmaxNan() {
        double[][] rows = {
            {NAN, 1, 2}, {1, NAN, 2}, {1, 2, NAN}, {NAN, NAN, NAN}, {NAN, INF, -INF}, {1, INF, 2}, {-INF, -INF, -INF}
        };
        for (double[] row : rows) {
            Tensor out = Data.empty(DType.F32, 0, 0, 2, 3);
            double[] both = {row[0], row[1], row[2], -INF, 0, -INF};
            for (boolean log : new boolean[] {false, true}) {
                Queue queue = new InlineQueue(InlineQueue.Cut.SINGLE);
                new SoftmaxKernel(log).run(queue, out, Data.of(DType.F32, both, 2, 3));
                double[] got = Data.read(out);
                assertTrue(Double.isNaN(got[0]) && Double.isNaN(got[1]) && Double.isNaN(got[2]), Arrays.toString(row));
                assertEquals(log ? -INF : 0, got[3]);
                assertEquals(log ? 0 : 1, got[4]);
            }
        }
    }

    @Test
    @DisplayName("apply_temperature: below 1e-5 counts as 1 unless all are random")
    void temperature() {
        for (Queue queue : InlineQueue.all()) {
            for (boolean allRandom : new boolean[] {false, true}) {
                double[] x = logits(1, 4 * 2051);
                double[] temps = {0.5, 0, 9e-6, 1.7};
                Tensor logits = Data.of(DType.F32, 4, 0, x, 4, 2051);
                new ApplyTemperatureKernel().run(queue, logits, Data.of(DType.F32, temps, 4), allRandom);
                for (int i = 0; i < x.length; i++) {
                    double t = (float) temps[i / 2051];
                    x[i] = (float) x[i] / (t < 1e-5 && !allRandom ? 1 : t);
                }
                if (!allRandom) {
                    Data.assertClose(x, logits, 1, "apply_temperature");
                } else {
                    assertTrue(Double.isInfinite(Data.get(logits, 2051)));
                    assertEquals(x[2 * 2051], Data.get(logits, 2 * 2051), Math.abs(x[2 * 2051]) * 1e-6);
                }
            }
        }
    }

    @Test
    @DisplayName("O4.13 apply_min_p: keeps what reaches the bound, leaves rows without probabilities alone")
    void minP() {
        for (Queue queue : InlineQueue.all()) {
            double ln2 = Math.log(2);
            double[] x = {
                0, -ln2 + 1e-5, -ln2 - 1e-5, -9, 1, NAN, 3, 4, 1, 2, INF, 4, -INF, -INF, -INF, -INF, 1, 2, 3, 4
            };
            Tensor logits = Data.of(DType.F32, 4, 0, x, 5, 4);
            Tensor minP = Data.of(DType.F32, new double[] {0.5, 0.5, 0.5, 0.5, 0}, 5);
            assertEquals(Outcome.SERVED, new ApplyMinPKernel().run(queue, logits, minP));
            x[2] = -INF;
            x[3] = -INF;
            Data.assertClose(x, logits, 1, "apply_min_p");
        }
    }

    @Test
    @DisplayName("apply_penalties: repetition by sign, then frequency and presence")
    void penalties() {
        int v = 2050;
        SplittableRandom random = new SplittableRandom(3);
        for (Queue queue : InlineQueue.all()) {
            double[] x = logits(2, 2 * v);
            double[] prompt = IntStream.range(0, 2 * v)
                    .mapToDouble(i -> random.nextInt(2))
                    .toArray();
            double[] output = IntStream.range(0, 2 * v)
                    .mapToDouble(i -> -random.nextInt(2))
                    .toArray();
            double[] counts = IntStream.range(0, 2 * v)
                    .mapToDouble(i -> random.nextInt(3))
                    .toArray();
            double[][] numbers = {{1.5, 0.5}, {0.25, -0.5}, {1, 2}};
            Tensor logits = Data.of(DType.F32, 8, 0, x, 2, v);
            new ApplyPenaltiesKernel()
                    .run(
                            queue,
                            logits,
                            Data.of(DType.I8, prompt, 2, v),
                            Data.of(DType.I8, output, 2, v),
                            Data.of(DType.I32, counts, 2, v),
                            Data.of(DType.F32, numbers[0], 2),
                            Data.of(DType.F32, numbers[1], 2),
                            Data.of(DType.F32, numbers[2], 2));
            for (int i = 0; i < x.length; i++) {
                if (prompt[i] != 0 || output[i] != 0) {
                    x[i] = x[i] > 0 ? x[i] / numbers[0][i / v] : x[i] * numbers[0][i / v];
                }
                x[i] -= numbers[1][i / v] * counts[i] + (counts[i] > 0 ? numbers[2][i / v] : 0);
            }
            Data.assertClose(x, logits, 9, "apply_penalties");
        }
    }

    private static double[] truncated(double[] row, int k, double p) {
        Integer[] order = IntStream.range(0, row.length).boxed().toArray(Integer[]::new);
        Arrays.sort(
                order,
                Comparator.<Integer>comparingDouble(i -> row[i] == 0 ? 0 : row[i])
                        .reversed());
        int n = k > 0 ? Math.min(k, row.length) : row.length;
        double max = row[order[0]];
        double total = IntStream.range(0, n)
                .mapToDouble(i -> Math.exp(row[order[i]] - max))
                .sum();
        if (p < 1 && Double.isFinite(max)) {
            double sum = 0;
            int m = 0;
            do {
                sum += Math.exp(row[order[m++]] - max);
            } while (sum < p * total && m < n);
            n = m;
        }
        double[] out = new double[row.length];
        Arrays.fill(out, -INF);
        for (int i = 0; i < n; i++) {
            out[order[i]] = row[order[i]];
        }
        return out;
    }

    private static void topKTopP(Queue queue, double[] row, @Nullable Integer k, @Nullable Double p) {
        Tensor logits = Data.of(DType.F32, 4, 0, row, 1, row.length);
        Tensor counts = k == null ? null : Data.of(DType.I32, new double[] {k}, 1);
        Tensor masses = p == null ? null : Data.of(DType.F32, new double[] {p}, 1);
        assertEquals(Outcome.SERVED, new ApplyTopKTopPKernel().run(queue, logits, counts, masses));
        double[] expected = truncated(row, k == null ? 0 : k, p == null ? 1 : p.floatValue());
        assertArrayEquals(expected, Data.read(logits), "V=" + row.length + " k=" + k + " p=" + p);
    }

    @Test
    @DisplayName("apply_top_k_top_p: exact for every k and p, alone and together, ties included")
    void topKTopP() {
        Queue queue = new InlineQueue(InlineQueue.Cut.SINGLE);
        Integer[] ks = {null, -1, 0, 1, 2, 40, 100000};
        Double[] ps = {null, -1.0, 0.0, 1e-6, 0.5, 0.9, 0.99999, 1.0, 2.0};
        for (int v : new int[] {1, 2, 5, 50, 3000}) {
            for (Integer k : ks) {
                for (Double p : ps) {
                    topKTopP(queue, logits(v, v), k, p);
                    // Few values, so nearly all are ties; zeros of both signs among them.
                    double[] ties = Arrays.stream(logits(v, v))
                            .map(x -> Math.rint(x / 4) * 0.5)
                            .toArray();
                    topKTopP(queue, ties, k, p);
                    double[] flat = new double[v];
                    topKTopP(queue, flat, k, p);
                    double[] masked = logits(v, v);
                    Arrays.fill(masked, 0, v / 2, -INF);
                    topKTopP(queue, masked, k, p);
                }
            }
        }
    }

    @Test
    @DisplayName("apply_top_k_top_p: each row has its own k and p")
    void topKRows() {
        for (Queue queue : InlineQueue.all()) {
            double[] x = {1, 2, 3, 1, 2, 3, 1, 2, 3};
            Tensor logits = Data.of(DType.F32, x, 3, 3);
            new ApplyTopKTopPKernel()
                    .run(
                            queue,
                            logits,
                            Data.of(DType.I32, new double[] {1, 0, 2}, 3),
                            Data.of(DType.F32, new double[] {1, 0.1, 1}, 3));
            assertArrayEquals(new double[] {-INF, -INF, 3, -INF, -INF, 3, -INF, 2, 3}, Data.read(logits));
        }
    }

    @Test
    @DisplayName("O4.13 apply_top_k_top_p: a NaN ranks first for k; p leaves a row without probabilities alone")
    void topKNan() {
        Tensor logits = Data.of(DType.F32, new double[] {1, NAN, INF, 3, 1, NAN, INF, 3}, 2, 4);
        new ApplyTopKTopPKernel()
                .run(
                        new InlineQueue(InlineQueue.Cut.WHOLE),
                        logits,
                        Data.of(DType.I32, new double[] {2, 0}, 2),
                        Data.of(DType.F32, new double[] {0.5, 0.5}, 2));
        assertArrayEquals(new double[] {-INF, NAN, INF, -INF, 1, NAN, INF, 3}, Data.read(logits));
    }

    @Test
    @DisplayName("random_sample: the noise is SplitMix64 of seed, row and column, as its documentation says")
    void noise() {
        long start = RandomSampleKernel.start(42, 3);
        long state = start;
        for (int c = 0; c < 5; c++) {
            // The published generator, step by step.
            state += 0x9e3779b97f4a7c15L;
            long z = state;
            z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
            z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
            z ^= z >>> 31;
            double u = ((z >>> 11) + 0.5) / (1L << 53);
            assertEquals(-Math.log(u), RandomSampleKernel.noise(start, c));
        }
    }

    private static long sample(Queue queue, double[] probs, long seed) {
        Tensor ids = Data.empty(DType.I64, 8, 0, 1);
        Tensor seeds = Data.of(DType.I64, new double[] {0}, 1);
        Data.put(seeds, 0, seed);
        new RandomSampleKernel().run(queue, ids, Data.of(DType.F32, 4, 0, probs, 1, probs.length), seeds);
        return (long) Data.get(ids, 0);
    }

    @Test
    @DisplayName("random_sample: draws follow the probabilities and depend on the seed alone, not on the cut")
    void draws() {
        double[] probs = {0.5, 0, 0.3, 0.2};
        int[] counts = new int[4];
        int draws = 20000;
        Queue queue = new InlineQueue(InlineQueue.Cut.WHOLE);
        for (int seed = 0; seed < draws; seed++) {
            counts[(int) sample(queue, probs, seed)]++;
        }
        for (int i = 0; i < 4; i++) {
            double sigma = Math.sqrt(draws * probs[i] * (1 - probs[i]));
            assertEquals(draws * probs[i], counts[i], 4 * sigma, "column " + i);
        }
        double[] wide = new double[20001];
        Arrays.fill(wide, 1.0 / wide.length);
        for (long seed : new long[] {0, 1, -1, Long.MIN_VALUE}) {
            long id = sample(queue, wide, seed);
            for (Queue other : InlineQueue.all()) {
                assertEquals(id, sample(other, wide, seed));
            }
        }
    }

    @Test
    @DisplayName("O4.13 random_sample: nothing but zeros gives column 0, a NaN is taken first")
    void sampleEdges() {
        Queue queue = new InlineQueue(InlineQueue.Cut.WHOLE);
        assertEquals(0, sample(queue, new double[] {0, 0, 0}, 5));
        assertEquals(1, sample(queue, new double[] {0.5, NAN, NAN}, 5));
        assertEquals(2, sample(queue, new double[] {0, 0, 1}, 5));
    }
}
