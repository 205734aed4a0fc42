package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.AttentionParams;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AttentionKernelsTest {
    private static final int BLOCK = 4;

    /** Requests: decode of 9 tokens, prefill of 5, chunk of 3 over 7 cached, one without rows. */
    private static final int[] LENGTHS = {9, 5, 7, 6};

    private static final int[] STARTS = {0, 1, 6, 9, 9};
    private static final int[][] TABLE = {{7, 2, 9}, {0, 5, 0}, {3, 8, 0}, {99, 99, 99}};

    private record Shape(int heads, int keyHeads, int dim) {}

    private static double[] flat(int[]... rows) {
        return java.util.Arrays.stream(rows)
                .flatMapToInt(java.util.Arrays::stream)
                .asDoubleStream()
                .toArray();
    }

    private static double[] expected(Shape s, double[] q, double[] k, double[] v, AttentionParams p) {
        double[] out = new double[q.length];
        for (int r = 0; r < LENGTHS.length; r++) {
            for (int t = STARTS[r]; t < STARTS[r + 1]; t++) {
                int position = LENGTHS[r] - STARTS[r + 1] + t;
                for (int h = 0; h < s.heads; h++) {
                    row(s, q, k, v, p, r, t, position, h, out);
                }
            }
        }
        return out;
    }

    private static void row(
            Shape s,
            double[] q,
            double[] k,
            double[] v,
            AttentionParams p,
            int r,
            int t,
            int position,
            int h,
            double[] out) {
        double total = 0;
        int at = (t * s.heads + h) * s.dim;
        for (int j = 0; j < LENGTHS[r]; j++) {
            if ((p.causal() && j > position) || (p.window() > 0 && j <= position - p.window())) {
                continue;
            }
            int slot = TABLE[r][j / BLOCK] * BLOCK + j % BLOCK;
            int cached = (slot * s.keyHeads + h / (s.heads / s.keyHeads)) * s.dim;
            double score = 0;
            for (int i = 0; i < s.dim; i++) {
                score += q[at + i] * k[cached + i];
            }
            score *= p.scale();
            double weight = Math.exp(p.softCap() > 0 ? p.softCap() * Math.tanh(score / p.softCap()) : score);
            total += weight;
            for (int i = 0; i < s.dim; i++) {
                out[at + i] += weight * v[cached + i];
            }
        }
        for (int i = 0; i < s.dim; i++) {
            out[at + i] /= total;
        }
    }

    /** A cache whose blocks are {@code pad} elements longer than their rows. */
    private static Tensor cache(DType dtype, long offset, long pad, long seed, Shape s) {
        long step = (long) BLOCK * s.keyHeads * s.dim + pad;
        HostBlock block = new HostBlock(offset + 10 * step * dtype.elementBytes());
        Tensor t = Tensor.strided(block, offset, dtype, new long[] {10, BLOCK, s.keyHeads, s.dim}, new long[] {
            step, (long) s.keyHeads * s.dim, s.dim, 1
        });
        double[] values = Data.random(seed, t.elements());
        for (int i = 0; i < values.length; i++) {
            Data.put(t, i, values[i] * 3);
        }
        return t;
    }

    private static void check(Queue queue, Shape s, DType dtype, DType cached, long offset, AttentionParams p) {
        Tensor q = Data.of(dtype, offset, 0, Data.random(1, 9L * s.heads * s.dim), 9, s.heads, s.dim);
        Tensor k = cache(cached, offset, offset == 4 ? 8 : 0, 2, s);
        Tensor v = cache(cached, offset, offset == 4 ? 8 : 0, 3, s);
        Tensor out = Data.empty(dtype == DType.F16 ? DType.F32 : dtype, offset, 0, 9, s.heads, s.dim);
        Tensor table = Data.of(DType.I32, offset, 0, flat(TABLE), 4, 3);
        Tensor lengths = Data.of(DType.I32, offset, 0, flat(LENGTHS), 4);
        Tensor starts = Data.of(DType.I32, offset, 0, flat(STARTS), 5);
        assertEquals(Outcome.SERVED, new PagedAttentionKernel().run(queue, out, q, k, v, table, lengths, starts, p));
        String what = s + " " + dtype + " " + cached + " at " + offset + " " + p;
        Data.assertClose(expected(s, Data.read(q), Data.read(k), Data.read(v), p), out, 3, what);
        Data.assertOutsideUntouched(out, what);
    }

    private static List<AttentionParams> params() {
        return List.of(
                AttentionParams.causal(0.7f),
                new AttentionParams(0.7f, true, 3, 0),
                new AttentionParams(0.7f, true, 1, 0),
                new AttentionParams(1.3f, true, 0, 2.5f),
                new AttentionParams(0.5f, false, 0, 0),
                new AttentionParams(0.5f, false, 4, 5f));
    }

    @Test
    @DisplayName("O4.10 paged_attention: GQA, window, soft-cap, both directions, dtypes, offsets, padded blocks")
    void pagedAttention() {
        for (Queue queue : InlineQueue.all()) {
            for (AttentionParams p : params()) {
                for (int offset : Data.OFFSETS) {
                    check(queue, new Shape(4, 2, 8), DType.F32, DType.F32, offset, p);
                    check(queue, new Shape(3, 3, 5), DType.BF16, DType.BF16, offset, p);
                    check(queue, new Shape(6, 1, 17), DType.F16, DType.BF16, offset, p);
                    check(queue, new Shape(1, 1, 1), DType.F32, DType.F16, offset, p);
                }
            }
        }
    }

    private static VtException fails(int[] table, int[] lengths, int[] starts, AttentionParams p) {
        Tensor q = Data.of(DType.F32, Data.random(1, 6), 3, 1, 2);
        Tensor k = Data.of(DType.F32, Data.random(2, 5 * 2 * 2), 5, 2, 1, 2);
        Tensor out = Data.empty(DType.F32, 0, 0, 3, 1, 2);
        double[] before = Data.read(out);
        VtException e = assertThrows(
                VtException.class,
                () -> new PagedAttentionKernel()
                        .run(
                                new InlineQueue(InlineQueue.Cut.WHOLE),
                                out,
                                q,
                                k,
                                k,
                                Data.of(DType.I32, flat(table), 2, 2),
                                Data.of(DType.I32, flat(lengths), 2),
                                Data.of(DType.I32, flat(starts), 3),
                                p));
        assertTrue(java.util.Arrays.equals(before, Data.read(out)));
        return e;
    }

    @Test
    @DisplayName("paged_attention: lengths, starts and blocks outside their bounds fail before anything is written")
    void outside() {
        AttentionParams p = AttentionParams.causal(1);
        int[] table = {0, 1, 2, 3};
        assertEquals(
                "op paged_attention on cpu:0: seqLens[1]: expected 0 to 4, given 5",
                fails(table, new int[] {2, 5}, new int[] {0, 1, 3}, p).getMessage());
        assertEquals(
                "op paged_attention on cpu:0: queryStartLoc[2]: expected 1 to 3, given 4",
                fails(table, new int[] {2, 4}, new int[] {0, 1, 4}, p).getMessage());
        assertEquals(
                "op paged_attention on cpu:0: queryStartLoc[1]: expected 2 to 3, given 1",
                fails(table, new int[] {2, 4}, new int[] {2, 1, 3}, p).getMessage());
        assertEquals(
                "op paged_attention on cpu:0: blockTable[1][1]: expected 0 to 4, given 5",
                fails(new int[] {0, 1, 2, 5}, new int[] {2, 3}, new int[] {0, 1, 3}, p)
                        .getMessage());
    }

    private static double[] run(int[] table, int[] lengths, int[] starts, AttentionParams p, Tensor k) {
        Tensor q = Data.of(DType.F32, Data.random(1, 6), 3, 1, 2);
        Tensor out = Data.of(DType.F32, new double[] {7, 7, 7, 7, 7, 7}, 3, 1, 2);
        new PagedAttentionKernel()
                .run(
                        new InlineQueue(InlineQueue.Cut.WHOLE),
                        out,
                        q,
                        k,
                        k,
                        Data.of(DType.I32, flat(table), 2, 2),
                        Data.of(DType.I32, flat(lengths), 2),
                        Data.of(DType.I32, flat(starts), 3),
                        p);
        return Data.read(out);
    }

    @Test
    @DisplayName("paged_attention: nothing seen gives zeros, no request no change; no look before a window")
    void edges() {
        Tensor k = Data.of(DType.F32, Data.random(2, 5 * 2 * 2), 5, 2, 1, 2);
        double[] out = run(new int[] {0, 1, 2, 3}, new int[] {0, 1}, new int[] {0, 1, 2}, AttentionParams.causal(1), k);
        assertEquals(0, out[0]);
        assertEquals((float) Data.get(k, 8), out[2]);
        assertEquals(7, out[4]);
        double[] window = run(
                new int[] {-1, 1, 2, 3}, new int[] {3, 1}, new int[] {0, 1, 2}, new AttentionParams(1, true, 1, 0), k);
        assertEquals((float) Data.get(k, 4), window[0]);
    }

    @Test
    @DisplayName("O4.13 paged_attention: a NaN in a key makes NaN of the rows that see it")
    void nan() {
        Tensor k = Data.of(DType.F32, Data.random(2, 5 * 2 * 2), 5, 2, 1, 2);
        Data.put(k, 2, Double.NaN);
        double[] out = run(new int[] {0, 1, 2, 3}, new int[] {2, 1}, new int[] {0, 2, 3}, AttentionParams.causal(1), k);
        assertTrue(!Double.isNaN(out[0]) && Double.isNaN(out[2]) && !Double.isNaN(out[4]));
    }

    @Test
    @DisplayName("paged_attention: large scores do not overflow")
    void stable() {
        double[] keys = new double[20];
        keys[0] = 200;
        keys[2] = 100;
        Tensor k = Data.of(DType.F32, keys, 5, 2, 1, 2);
        double[] out =
                run(new int[] {0, 1, 2, 3}, new int[] {2, 1}, new int[] {0, 1, 2}, AttentionParams.causal(1e6f), k);
        assertTrue(out[0] == 200 || out[0] == 100);
    }

    @Test
    @DisplayName("reshape_and_cache: slots, skips, padded caches, dtypes, offsets; the last row of a slot wins")
    void reshapeAndCache() {
        Shape s = new Shape(0, 3, 5);
        for (Queue queue : InlineQueue.all()) {
            for (DType in : List.of(DType.F32, DType.F16, DType.BF16)) {
                for (DType cached : List.of(DType.F32, DType.BF16)) {
                    for (int offset : Data.OFFSETS) {
                        double[] slots = {39, -1, 0, 6, 6};
                        Tensor k = Data.of(in, offset, 0, Data.random(4, 75), 5, 3, 5);
                        Tensor v = Data.of(in, offset, 0, Data.random(5, 75), 5, 3, 5);
                        Tensor keys = cache(cached, offset, 4, 2, s);
                        Tensor values = cache(cached, offset, 4, 3, s);
                        double[] ek = Data.read(keys);
                        double[] ev = Data.read(values);
                        for (int i = 0; i < 75; i++) {
                            if (slots[i / 15] >= 0) {
                                ek[(int) slots[i / 15] * 15 + i % 15] = Data.get(k, i);
                                ev[(int) slots[i / 15] * 15 + i % 15] = Data.get(v, i);
                            }
                        }
                        Tensor mapping = Data.of(DType.I64, offset, 0, slots, 5);
                        assertEquals(
                                Outcome.SERVED, new ReshapeAndCacheKernel().run(queue, k, v, keys, values, mapping));
                        Data.assertClose(ek, keys, 1, in + "->" + cached);
                        Data.assertClose(ev, values, 1, in + "->" + cached);
                        Data.assertOutsideUntouched(keys, "reshape_and_cache");
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("reshape_and_cache: a slot outside the cache fails before anything is written")
    void slotOutside() {
        Shape s = new Shape(0, 1, 2);
        Tensor k = Data.of(DType.F32, Data.random(4, 4), 2, 1, 2);
        Tensor cache = cache(DType.F32, 0, 0, 2, s);
        double[] before = Data.read(cache);
        Tensor slots = Data.of(DType.I64, new double[] {1, 40}, 2);
        VtException e = assertThrows(
                VtException.class,
                () -> new ReshapeAndCacheKernel()
                        .run(new InlineQueue(InlineQueue.Cut.WHOLE), k, k, cache, cache, slots));
        assertEquals("op reshape_and_cache on cpu:0: slotMapping[1]: expected 0 to 39, given 40", e.getMessage());
        assertTrue(java.util.Arrays.equals(before, Data.read(cache)));
    }
}
