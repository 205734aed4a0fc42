package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DeltaRuleTest {
    private static final Queue WHOLE = new InlineQueue(InlineQueue.Cut.WHOLE);
    private static final Queue SEVEN = new InlineQueue(InlineQueue.Cut.SEVEN);

    /** The operands of a call over T tokens. */
    private record Call(Tensor q, Tensor k, Tensor v, Tensor g, Tensor beta, int keyHeads, int heads, int dk, int dv) {
        static Call of(DType in, int tokens, int keyHeads, int heads, int dk, int dv) {
            double[] keys = unit(Data.random(2, (long) tokens * keyHeads * dk), dk);
            double[] g = Data.random(4, (long) tokens * heads);
            double[] beta = Data.random(5, (long) tokens * heads);
            return new Call(
                    Data.of(in, 4, 0, unit(Data.random(1, keys.length), dk), tokens, keyHeads, dk),
                    Data.of(in, keys, tokens, keyHeads, dk),
                    Data.of(in, Data.random(3, (long) tokens * heads * dv), tokens, heads, dv),
                    Data.of(DType.F32, Arrays.stream(g).map(x -> x - 1).toArray(), tokens, heads),
                    Data.of(DType.F32, Arrays.stream(beta).map(Math::abs).toArray(), tokens, heads),
                    keyHeads,
                    heads,
                    dk,
                    dv);
        }

        /** Straight from the paper, S_t = S_(t-1) (exp(g) (I - beta k k^T)) + beta v k^T, with the matrix written out. */
        double[] token(double[] s, int t, int h, double scale) {
            double[] key = head(k, t, h / (heads / Math.max(1, keyHeads)));
            double[] query = head(q, t, h / (heads / Math.max(1, keyHeads)));
            double decay = Math.exp(Data.get(g, t * heads + h));
            double b = Data.get(beta, t * heads + h);
            double[] out = new double[dv];
            for (int i = 0; i < dv; i++) {
                double[] row = new double[dk];
                for (int j = 0; j < dk; j++) {
                    row[j] = b * Data.get(v, (t * heads + h) * dv + i) * key[j];
                    for (int m = 0; m < dk; m++) {
                        row[j] += s[i * dk + m] * decay * ((m == j ? 1 : 0) - b * key[m] * key[j]);
                    }
                }
                System.arraycopy(row, 0, s, i * dk, dk);
                for (int j = 0; j < dk; j++) {
                    out[i] += scale * row[j] * query[j];
                }
            }
            return out;
        }

        private double[] head(Tensor t, int token, int head) {
            double[] x = new double[dk];
            for (int j = 0; j < dk; j++) {
                x[j] = Data.get(t, (token * keyHeads + head) * dk + j);
            }
            return x;
        }
    }

    private static double[] unit(double[] x, int width) {
        for (int r = 0; width > 0 && r < x.length / width; r++) {
            double sum = 1e-6;
            for (int i = 0; i < width; i++) {
                sum += x[r * width + i] * x[r * width + i];
            }
            for (int i = 0; i < width; i++) {
                x[r * width + i] /= Math.sqrt(sum);
            }
        }
        return x;
    }

    private static void checkPrefill(Queue queue, DType in, DType result, int keyHeads, int heads, int dk, int dv) {
        String what = in + "->" + result + " " + keyHeads + "/" + heads + " " + dk + "x" + dv;
        int[] starts = {0, 5, 5, 7};
        Call c = Call.of(in, 8, keyHeads, heads, dk, dv);
        Tensor state = Data.of(DType.F32, 8, 0, Data.random(6, 3L * heads * dv * dk), 3, heads, dv, dk);
        Tensor out = Data.empty(result, 4, 0, 8, heads, dv);
        double[] expected = Data.read(out);
        double[] states = Data.read(state);
        for (int n = 0; n < 3; n++) {
            for (int h = 0; h < heads; h++) {
                int at = (n * heads + h) * dv * dk;
                double[] s = Arrays.copyOfRange(states, at, at + dv * dk);
                for (int t = starts[n]; t < starts[n + 1]; t++) {
                    System.arraycopy(c.token(s, t, h, 0.25), 0, expected, (t * heads + h) * dv, dv);
                }
                System.arraycopy(s, 0, states, at, s.length);
            }
        }
        Tensor loc = Data.of(DType.I32, Arrays.stream(starts).asDoubleStream().toArray(), 4);
        assertEquals(
                Outcome.SERVED, DeltaRule.prefill(queue, out, c.q, c.k, c.v, c.g, c.beta, state, loc, 0.25f), what);
        Data.assertClose(expected, out, 1, what);
        Data.assertClose(states, state, 1, what);
        Data.assertOutsideUntouched(out, what);
        Data.assertOutsideUntouched(state, what);
    }

    @Test
    @DisplayName("gdn_prefill: dtypes, heads and their groups, odd sizes, several sequences, empty ones, rows of none")
    void prefill() {
        for (Queue queue : InlineQueue.all()) {
            for (DType in : List.of(DType.F32, DType.F16, DType.BF16)) {
                checkPrefill(queue, in, DType.F32, 2, 4, 16, 8);
                checkPrefill(queue, in, DType.BF16, 1, 3, 7, 5);
            }
            checkPrefill(queue, DType.F32, DType.F32, 1, 1, 128, 70);
            checkPrefill(queue, DType.F32, DType.F32, 2, 2, 1, 1);
            checkPrefill(queue, DType.F32, DType.F32, 1, 2, 0, 3);
            checkPrefill(queue, DType.F32, DType.F32, 1, 2, 3, 0);
            checkPrefill(queue, DType.F32, DType.F32, 0, 0, 3, 2);
        }
    }

    @Test
    @DisplayName("gdn_decode: token by token it gives what gdn_prefill gives, bit by bit; other slots stay as they are")
    void decode() {
        Call c = Call.of(DType.F32, 6, 2, 4, 33, 9);
        Tensor whole = Data.of(DType.F32, Data.random(6, 4 * 9 * 33), 1, 4, 9, 33);
        Tensor states = Data.of(DType.F32, Data.random(7, 3 * 4 * 9 * 33), 3, 4, 9, 33);
        for (int i = 0; i < whole.elements(); i++) {
            Data.put(states.rows(2, 3), i, Data.get(whole, i));
        }
        double[] others = Data.read(states.rows(0, 2));
        Tensor expected = Data.empty(DType.F32, 0, 0, 6, 4, 9);
        Tensor loc = Data.of(DType.I32, new double[] {0, 6}, 2);
        DeltaRule.prefill(WHOLE, expected, c.q, c.k, c.v, c.g, c.beta, whole, loc, 0.5f);
        Tensor out = Data.empty(DType.F32, 0, 0, 6, 4, 9);
        for (int t = 0; t < 6; t++) {
            int to = t + 1;
            Tensor s = t < 3 ? states : states.rows(2, 3);
            Tensor slot = t < 3 ? Data.of(DType.I32, new double[] {2}, 1) : null;
            DeltaRule.decode(
                    SEVEN,
                    out.rows(t, to),
                    c.q.rows(t, to),
                    c.k.rows(t, to),
                    c.v.rows(t, to),
                    c.g.rows(t, to),
                    c.beta.rows(t, to),
                    s,
                    slot,
                    0.5f);
        }
        assertArrayEquals(Data.read(expected), Data.read(out));
        assertArrayEquals(Data.read(whole), Data.read(states.rows(2, 3)));
        assertArrayEquals(others, Data.read(states.rows(0, 2)));
    }

    @Test
    @DisplayName(
            "gdn_decode: rows of one slot are done in order, a negative slot gives zeros, a bad one writes nothing")
    void slots() {
        Call c = Call.of(DType.F32, 3, 1, 2, 8, 4);
        Tensor ordered = Data.of(DType.F32, Data.random(6, 2 * 4 * 8), 1, 2, 4, 8);
        Tensor state = Data.copy(ordered);
        Tensor expected = Data.empty(DType.F32, 0, 0, 3, 2, 4);
        Tensor loc = Data.of(DType.I32, new double[] {0, 2}, 2);
        DeltaRule.prefill(WHOLE, expected, c.q, c.k, c.v, c.g, c.beta, ordered, loc, 1f);
        for (int i = 16; i < 24; i++) {
            Data.put(expected, i, 0);
        }
        Tensor out = Data.empty(DType.F32, 0, 0, 3, 2, 4);
        Tensor slots = Data.of(DType.I32, new double[] {0, 0, -1}, 3);
        DeltaRule.decode(SEVEN, out, c.q, c.k, c.v, c.g, c.beta, state, slots, 1f);
        assertArrayEquals(Data.read(expected), Data.read(out));
        assertArrayEquals(Data.read(ordered), Data.read(state));
        Data.put(slots, 1, 1);
        VtException e = assertThrows(
                VtException.class, () -> DeltaRule.decode(WHOLE, out, c.q, c.k, c.v, c.g, c.beta, state, slots, 1f));
        assertTrue(e.getMessage().endsWith("stateIndices[1]: expected 0 to 0, given 1"), e.getMessage());
        assertArrayEquals(Data.read(expected), Data.read(out));
        assertArrayEquals(Data.read(ordered), Data.read(state));
    }

    /** The raw operands of a step, made by the separate kernels and by those that do all at once. */
    private record Raw(Tensor x, Tensor a, Tensor b, Tensor aLog, Tensor dtBias) {
        static Raw of(DType gate, int tokens, int keyHeads, int heads, int dk, int dv) {
            int width = 2 * keyHeads * dk + heads * dv;
            return new Raw(
                    Data.of(DType.F32, Data.random(1, (long) tokens * width), tokens, width),
                    Data.of(gate, 4, 3, Data.random(2, (long) tokens * heads), tokens, heads),
                    Data.of(gate, 0, 1, Data.random(3, (long) tokens * heads), tokens, heads),
                    Data.of(DType.BF16, Data.random(4, heads), heads),
                    Data.of(DType.F16, Data.random(5, heads), heads));
        }
    }

    @Test
    @DisplayName(
            "gdn_packed_decode: gdn_post_conv and gdn_decode give the same, bit by bit; slot 0 is a slot like others")
    void packed() {
        for (DType gate : List.of(DType.F32, DType.BF16)) {
            Raw r = Raw.of(gate, 3, 2, 4, 24, 10);
            Tensor q = Data.empty(DType.F32, 0, 0, 3, 2, 24);
            Tensor k = Data.empty(DType.F32, 0, 0, 3, 2, 24);
            Tensor v = Data.empty(DType.F32, 0, 0, 3, 4, 10);
            Tensor g = Data.empty(DType.F32, 0, 0, 3, 4);
            Tensor beta = Data.empty(DType.F32, 0, 0, 3, 4);
            new GdnPostConvKernel().run(WHOLE, q, k, v, g, beta, r.x, r.a, r.b, r.aLog, r.dtBias, 1e-6f);
            Tensor state = Data.of(DType.F32, Data.random(6, 2 * 4 * 10 * 24), 2, 4, 10, 24);
            Tensor again = Data.copy(state);
            Tensor slots = Data.of(DType.I32, new double[] {1, -5, 0}, 3);
            Tensor expected = Data.empty(DType.BF16, 0, 0, 3, 4, 10);
            Tensor out = Data.empty(DType.BF16, 0, 0, 3, 4, 10);
            DeltaRule.decode(WHOLE, expected, q, k, v, g, beta, state, slots, 0.2f);
            Tensor a = Data.copy(r.a);
            Tensor b = Data.copy(r.b);
            DeltaRule.packedDecode(SEVEN, out, r.x, a, b, r.aLog, r.dtBias, again, slots, 0.2f, 1e-6f);
            assertArrayEquals(Data.read(expected), Data.read(out), gate + " out");
            assertArrayEquals(Data.read(state), Data.read(again), gate + " state");
        }
    }

    @Test
    @DisplayName("gdn_post_conv: gdn_conv_split, l2_norm and gdn_g_beta give the same, bit by bit; the split is a copy")
    void postConv() {
        for (Queue queue : InlineQueue.all()) {
            Raw r = Raw.of(DType.BF16, 4, 2, 4, 24, 10);
            Tensor q = Data.empty(DType.F32, 0, 0, 4, 48);
            Tensor k = Data.empty(DType.F32, 0, 0, 4, 48);
            Tensor v = Data.empty(DType.F32, 0, 0, 4, 40);
            Tensor g = Data.empty(DType.F32, 0, 0, 4, 4);
            Tensor beta = Data.empty(DType.F32, 0, 0, 4, 4);
            new QkvSplitKernel().run(queue, q, k, v, r.x);
            new GdnGBetaKernel().run(queue, g, beta, r.a, r.b, r.aLog, r.dtBias);
            Tensor q2 = Data.empty(DType.F32, 0, 0, 4, 2, 24);
            Tensor k2 = Data.empty(DType.F32, 0, 0, 4, 2, 24);
            Tensor v2 = Data.empty(DType.F32, 0, 0, 4, 4, 10);
            Tensor g2 = Data.empty(DType.F32, 0, 0, 4, 4);
            Tensor beta2 = Data.empty(DType.F32, 0, 0, 4, 4);
            new GdnPostConvKernel().run(queue, q2, k2, v2, g2, beta2, r.x, r.a, r.b, r.aLog, r.dtBias, 1e-6f);
            for (Tensor t : List.of(q2, k2, v2, g2, beta2)) {
                Data.assertOutsideUntouched(t, "gdn_post_conv");
            }
            Data.assertClose(unit(Data.read(q), 24), q2, 0, "q");
            Data.assertClose(unit(Data.read(k), 24), k2, 0, "k");
            assertArrayEquals(normed(queue, q), Data.read(q2));
            assertArrayEquals(normed(queue, k), Data.read(k2));
            assertArrayEquals(Data.read(v), Data.read(v2));
            assertArrayEquals(Data.read(g), Data.read(g2));
            assertArrayEquals(Data.read(beta), Data.read(beta2));
            double[] x = Data.read(r.x);
            for (int t = 0; t < 4; t++) {
                assertArrayEquals(Arrays.copyOfRange(x, t * 136, t * 136 + 48), Data.read(q.rows(t, t + 1)));
                assertArrayEquals(Arrays.copyOfRange(x, t * 136 + 96, t * 136 + 136), Data.read(v.rows(t, t + 1)));
            }
        }
    }

    private static double[] normed(Queue queue, Tensor x) {
        Tensor out = Data.empty(DType.F32, 0, 0, 4, 2, 24);
        new L2NormKernel().run(queue, out, x.reshape(4, 2, 24), 1e-6f);
        return Data.read(out);
    }

    @Test
    @DisplayName("gdn_g_beta: small, large and infinite numbers; above 20 the softplus is the number itself; NaN stays")
    void gates() {
        double[] a = {0, -100, 25, 3e38, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, Double.NaN, -5};
        double[] b = {0, -100, 25, 3e38, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, Double.NaN, 1e-20};
        Tensor g = Data.empty(DType.F32, 0, 0, 1, 8);
        Tensor beta = Data.empty(DType.F32, 0, 0, 1, 8);
        Tensor aLog = Data.of(DType.F32, new double[] {0, 1, -1, -10, 2, 0, 0, 0.5}, 8);
        Tensor dtBias = Data.of(DType.F32, new double[] {0, 0, 1, 0, 1, 1, 1, 0.25}, 8);
        new GdnGBetaKernel()
                .run(WHOLE, g, beta, Data.of(DType.F32, a, 1, 8), Data.of(DType.F32, b, 1, 8), aLog, dtBias);
        double[] expectedG = {
            -Math.log(2),
            -Math.exp(1) * Math.exp(-100),
            -Math.exp(-1) * 26,
            -Math.exp(-10) * (float) 3e38,
            0,
            Double.NEGATIVE_INFINITY,
            Double.NaN,
            -Math.exp(0.5) * Math.log1p(Math.exp(-4.75))
        };
        double[] expectedBeta = {0.5, Math.exp(-100), 1 / (1 + Math.exp(-25)), 1, 0, 1, Double.NaN, 0.5};
        Data.assertClose(expectedG, g, 0, "g");
        Data.assertClose(expectedBeta, beta, 0, "beta");
    }

    @Test
    @DisplayName(
            "O4.13 gdn_prefill: a NaN in a value stays in its element, one in a key reaches its heads from there on")
    void nan() {
        Call c = Call.of(DType.F32, 4, 2, 4, 5, 3);
        Data.put(c.v, (1 * 4 + 0) * 3 + 1, Double.NaN);
        Data.put(c.k, (2 * 2 + 1) * 5 + 4, Double.NaN);
        Tensor state = Data.of(DType.F32, Data.random(6, 4 * 3 * 5), 1, 4, 3, 5);
        Tensor out = Data.empty(DType.F32, 0, 0, 4, 4, 3);
        Tensor loc = Data.of(DType.I32, new double[] {0, 4}, 2);
        DeltaRule.prefill(WHOLE, out, c.q, c.k, c.v, c.g, c.beta, state, loc, 1f);
        for (int i = 0; i < 48; i++) {
            int t = i / 12;
            int h = i / 3 % 4;
            boolean expected = (t >= 1 && h == 0 && i % 3 == 1) || (t >= 2 && h >= 2);
            assertEquals(expected, Double.isNaN(Data.get(out, i)), "token " + t + " head " + h + " element " + i % 3);
        }
    }
}
