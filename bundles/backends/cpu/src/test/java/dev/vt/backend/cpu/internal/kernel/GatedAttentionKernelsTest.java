package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuQueue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The steps around attention: fused ops against single ones, merging, and one result on any number of threads. */
class GatedAttentionKernelsTest {
    private static final Queue QUEUE = new InlineQueue(InlineQueue.Cut.WHOLE);
    private static final double NOTHING = Double.NEGATIVE_INFINITY;

    private static Tensor f32(long seed, long... shape) {
        return Data.of(
                DType.F32, Data.random(seed, Data.empty(DType.F32, 0, 0, shape).elements()), shape);
    }

    private static Tensor blank(long... shape) {
        return Data.empty(DType.F32, 0, 0, shape);
    }

    @Test
    @DisplayName("attn_qk_norm_rope_gate has the bits of attn_gate_split, rms_norm and rope_from_cache")
    void fused() {
        for (Queue queue : InlineQueue.all()) {
            Tensor qGate = f32(1, 9, 48);
            Tensor k = f32(2, 9, 12);
            Tensor qNorm = f32(3, 6);
            Tensor kNorm = f32(4, 6);
            Tensor cosSin = f32(5, 9, 4);
            Tensor q = blank(9, 4, 6);
            Tensor gate = blank(9, 4, 6);
            Tensor key = blank(9, 2, 6);
            new AttnQkNormRopeGateKernel().run(queue, q, key, gate, qGate, k, qNorm, kNorm, cosSin, 1e-6f);

            Tensor split = blank(36, 6);
            Tensor expectedGate = blank(9, 4, 6);
            Tensor expectedQ = blank(36, 6);
            Tensor expectedKey = blank(18, 6);
            new AttnGateSplitKernel().run(QUEUE, split.reshape(9, 4, 6), expectedGate, qGate);
            new RmsNormKernel().run(QUEUE, expectedQ, split, qNorm, null, 1e-6f, true);
            new RmsNormKernel().run(QUEUE, expectedKey, k.reshape(18, 6), kNorm, null, 1e-6f, true);
            Tensor positions = Data.of(DType.I32, new double[] {0, 1, 2, 3, 4, 5, 6, 7, 8}, 9);
            new RopeFromCacheKernel()
                    .run(
                            QUEUE,
                            expectedQ.reshape(9, 4, 6),
                            expectedKey.reshape(9, 2, 6),
                            cosSin,
                            positions,
                            false,
                            null);
            assertArrayEquals(Data.read(expectedQ), Data.read(q));
            assertArrayEquals(Data.read(expectedKey), Data.read(key));
            assertArrayEquals(Data.read(expectedGate), Data.read(gate));
        }
    }

    private static double[] merge(double first, double second) {
        Tensor out = blank(1, 1, 1);
        Tensor lse = blank(1, 1);
        new MergeAttnStatesKernel()
                .run(
                        QUEUE,
                        out,
                        lse,
                        Data.of(DType.F32, new double[] {2}, 1, 1, 1),
                        Data.of(DType.F32, new double[] {first}, 1, 1),
                        Data.of(DType.F32, new double[] {6}, 1, 1, 1),
                        Data.of(DType.F32, new double[] {second}, 1, 1));
        return new double[] {Data.get(out, 0), Data.get(lse, 0)};
    }

    @Test
    @DisplayName("merge_attn_states: weights, parts that saw nothing, a sum that overflowed, NaN")
    void merges() {
        assertArrayEquals(new double[] {4, (float) (5 + Math.log(2))}, merge(5, 5));
        assertArrayEquals(new double[] {4, (float) (300 + Math.log(2))}, merge(300, 300));
        assertArrayEquals(new double[] {5, (float) Math.log(4)}, merge(0, (float) Math.log(3)), 1e-6);
        assertArrayEquals(new double[] {6, 5}, merge(NOTHING, 5));
        assertArrayEquals(new double[] {2, 5}, merge(5, Double.POSITIVE_INFINITY));
        assertArrayEquals(new double[] {2, NOTHING}, merge(NOTHING, NOTHING));
        assertArrayEquals(new double[] {2, NOTHING}, merge(Double.POSITIVE_INFINITY, NOTHING));
        assertArrayEquals(new double[] {Double.NaN, Double.NaN}, merge(1, Double.NaN));
        assertArrayEquals(new double[] {Double.NaN, Double.NaN}, merge(Double.NaN, NOTHING));
    }

    private static double[] chain(Queue queue) {
        int t = 130;
        Tensor out = blank(t, 6, 8);
        new AttentionKernel().run(queue, out, f32(1, t, 6, 8), f32(2, t, 2, 8), f32(3, t, 2, 8), 0.4f);
        Tensor other = blank(t, 6, 8);
        Tensor bounds = Data.of(DType.I32, new double[] {0, 50, t}, 3);
        Tensor lse = blank(6, t);
        new MlaPrefillAttentionKernel()
                .run(queue, other, lse, out, f32(4, t, 6, 8), f32(5, t, 6, 8), bounds, bounds, 0.4f, true);
        Tensor merged = blank(t, 6, 8);
        new MergeAttnStatesKernel().run(queue, merged, null, out, f32(6, 6, t), other, lse);
        queue.synchronize();
        return Data.read(merged);
    }

    @Test
    @DisplayName("attention has the same bits inline, on one thread and on four")
    void sameBits() {
        double[] inline = chain(QUEUE);
        for (int threads : new int[] {1, 4}) {
            try (CpuBackend backend = new CpuBackend(threads);
                    CpuQueue queue = backend.createQueue()) {
                assertArrayEquals(inline, chain(queue), threads + " threads");
            }
        }
    }

    private static double[] decode(Queue queue) {
        Tensor out = blank(3, 40, 5);
        Tensor table = Data.of(DType.I32, new double[] {4, 3, 2, 1, 0, 0, 4, 2, 2}, 3, 3);
        Tensor lengths = Data.of(DType.I32, new double[] {12, 5, 9}, 3);
        new MlaDecodeAttentionKernel().run(queue, out, null, f32(1, 3, 40, 7), f32(2, 5, 4, 7), table, lengths, 0.3f);
        queue.synchronize();
        return Data.read(out);
    }

    @Test
    @DisplayName("mla_decode_attention: how many heads go together does not change a bit")
    void heads() {
        double[] inline = decode(QUEUE);
        for (int threads : new int[] {1, 3, 40}) {
            try (CpuBackend backend = new CpuBackend(threads);
                    CpuQueue queue = backend.createQueue()) {
                assertArrayEquals(inline, decode(queue), threads + " threads");
            }
        }
    }

    @Test
    @DisplayName("batched_matmul: heads in the middle, one matrix for all, rows of K = 0")
    void strided() {
        for (Queue queue : InlineQueue.all()) {
            Tensor a = f32(1, 9, 2, 3);
            Tensor b = f32(2, 3, 5);
            Tensor out = Data.empty(DType.F32, 4, 3, 9, 2, 5);
            Tensor heads = Tensor.strided(a.memory(), 0, DType.F32, new long[] {2, 9, 3}, new long[] {3, 6, 1});
            Tensor same = Tensor.strided(b.memory(), 0, DType.F32, new long[] {2, 3, 5}, new long[] {0, 5, 1});
            Tensor into = Tensor.strided(out.memory(), 4, DType.F32, new long[] {2, 9, 5}, new long[] {8, 16, 1});
            new BatchedMatmulKernel().run(queue, into, heads, same);
            double[] expected = new double[90];
            for (int i = 0; i < 90; i++) {
                for (int k = 0; k < 3; k++) {
                    expected[i] += Data.get(a, i / 5 * 3 + k) * Data.get(b, k * 5 + i % 5);
                }
            }
            Data.assertClose(expected, out, 1, "heads");
            Data.assertOutsideUntouched(out, "heads");
        }
        Tensor out = f32(3, 2, 2, 2);
        new BatchedMatmulKernel().run(QUEUE, out, blank(2, 2, 0), blank(2, 0, 2));
        assertArrayEquals(new double[8], Data.read(out));
    }

    @Test
    @DisplayName("sigmoid_gate_bf16 saturates and keeps NaN; mul_col_vec_f32 multiplies columns")
    void elementwise() {
        Tensor out = Data.empty(DType.BF16, 0, 0, 4);
        Tensor attn = Data.of(DType.F32, new double[] {2, 2, 2, 2}, 4);
        new SigmoidGateKernel().run(QUEUE, out, attn, Data.of(DType.F32, new double[] {0, 1000, -1000, Double.NaN}, 4));
        assertArrayEquals(new double[] {1, 2, 0, Double.NaN}, Data.read(out));
        Tensor x = Data.of(DType.F32, new double[] {1, 2, 3, 4}, 2, 2);
        new MulColVecKernel().run(QUEUE, x, Data.of(DType.F32, new double[] {10, 0.5}, 2));
        assertArrayEquals(new double[] {10, 1, 30, 2}, Data.read(x));
    }

    @Test
    @DisplayName("concat_mla_nope_rope: one head for all or one each, bytes as they are")
    void concat() {
        Tensor out = Data.empty(DType.F16, 0, 0, 2, 3, 3);
        Tensor nope = Data.of(DType.F16, Data.random(1, 12), 2, 3, 2);
        Tensor shared = Data.of(DType.F16, Data.random(2, 2), 2, 1, 1);
        Tensor each = Data.of(DType.F16, Data.random(3, 6), 2, 3, 1);
        for (Tensor rope : new Tensor[] {shared, each}) {
            new ConcatMlaNopeRopeKernel().run(QUEUE, out, nope, rope);
            for (int r = 0; r < 6; r++) {
                assertEquals(Data.get(nope, 2 * r), Data.get(out, 3 * r));
                assertEquals(Data.get(nope, 2 * r + 1), Data.get(out, 3 * r + 1));
                assertEquals(Data.get(rope, rope == shared ? r / 3 : r), Data.get(out, 3 * r + 2));
            }
        }
    }
}
