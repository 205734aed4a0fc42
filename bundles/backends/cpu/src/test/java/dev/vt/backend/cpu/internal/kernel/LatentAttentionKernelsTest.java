package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The latent cache and attention over it: what only data shows, and rows that see nothing. */
class LatentAttentionKernelsTest {
    private static final Queue QUEUE = new InlineQueue(InlineQueue.Cut.WHOLE);
    private static final double[] SEVENS = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};

    private static Tensor i32(double... values) {
        return Data.of(DType.I32, values, values.length);
    }

    private static Tensor table(double... row) {
        return Data.of(DType.I32, row, 1, row.length);
    }

    private static Tensor f32(long seed, long... shape) {
        long n = 1;
        for (long d : shape) {
            n *= d;
        }
        return Data.of(DType.F32, Data.random(seed, n), shape);
    }

    /** The call fails with this sentence and leaves the tensor, 12 elements of 7, alone. */
    private static void fails(String sentence, Consumer<Tensor> call, long... shape) {
        Tensor out = Data.of(DType.F32, SEVENS, shape);
        VtException e = assertThrows(VtException.class, () -> call.accept(out));
        assertEquals(sentence, e.getMessage());
        assertArrayEquals(SEVENS, Data.read(out));
    }

    @Test
    @DisplayName(
            "concat_and_cache_mla: negative slots are skipped, the last of two tokens wins, one outside fails before")
    void slots() {
        for (Queue queue : InlineQueue.all()) {
            Tensor kv = f32(1, 4, 2);
            Tensor pe = f32(2, 4, 1);
            Tensor cache = Data.of(DType.F32, SEVENS, 2, 2, 3);
            double[] slots = {1, -1, 3, 1};
            new ConcatAndCacheMlaKernel().run(queue, kv, pe, cache, Data.of(DType.I64, slots, 4));
            double[] expected = SEVENS.clone();
            for (int t = 2; t < 4; t++) {
                int at = (int) slots[t] * 3;
                expected[at] = Data.get(kv, 2 * t);
                expected[at + 1] = Data.get(kv, 2 * t + 1);
                expected[at + 2] = Data.get(pe, t);
            }
            assertArrayEquals(expected, Data.read(cache));
        }
        fails(
                "op concat_and_cache_mla on cpu:0: slotMapping[1]: expected 0 to 3, given 4",
                cache -> new ConcatAndCacheMlaKernel()
                        .run(QUEUE, f32(1, 2, 2), f32(2, 2, 1), cache, Data.of(DType.I64, new double[] {0, 4}, 2)),
                2,
                2,
                3);
    }

    private static void gather(Tensor dst, Tensor table, Tensor bounds, Tensor owners, @Nullable Tensor starts) {
        new GatherMlaCacheKernel().run(QUEUE, dst, f32(3, 3, 2, 4), table, bounds, owners, starts);
    }

    @Test
    @DisplayName("gather_mla_cache: from a start on, and rows behind the last stay")
    void gathers() {
        Tensor dst = Data.of(DType.F32, SEVENS, 3, 4);
        gather(dst, table(0, 2), i32(0, 2), i32(0, 0), i32(2));
        double[] cache = Data.read(f32(3, 3, 2, 4));
        double[] expected = SEVENS.clone();
        System.arraycopy(cache, 2 * 8, expected, 0, 8);
        assertArrayEquals(expected, Data.read(dst));
    }

    @Test
    @DisplayName("gather_mla_cache: starts, owners, bounds and blocks that are wrong fail before anything is written")
    void gatherFaults() {
        fails(
                "op gather_mla_cache on cpu:0: seqStarts[0]: expected a multiple of the block size 2, given 1",
                dst -> gather(dst, table(0, 1), i32(0, 2), i32(0, 0), i32(1)),
                3,
                4);
        fails(
                "op gather_mla_cache on cpu:0: seqStarts[0]: expected 0 to 2, given 4",
                dst -> gather(dst, table(0, 1), i32(0, 2), i32(0, 0), i32(4)),
                3,
                4);
        fails(
                "op gather_mla_cache on cpu:0: cuSeqLens[1]: expected 0 to 2, given 3",
                dst -> gather(dst, table(0), i32(0, 3), i32(0, 0, 0), null),
                3,
                4);
        fails(
                "op gather_mla_cache on cpu:0: blockTable[0][1]: expected 0 to 2, given 3",
                dst -> gather(dst, table(0, 3), i32(0, 3), i32(0, 0, 0), null),
                3,
                4);
        fails(
                "op gather_mla_cache on cpu:0: tokenToSeq[1]: expected 0 to 0, given 1",
                dst -> gather(dst, table(0, 1), i32(0, 2), i32(0, 1), null),
                3,
                4);
        fails(
                "op gather_mla_cache on cpu:0: tokenToSeq[1]: expected the sequence that cuSeqLens gives row 1 to,"
                        + " given 0, which owns rows 0 to 1",
                dst -> gather(dst, table(0, 1), i32(0, 1), i32(0, 0), null),
                3,
                4);
    }

    private static void decode(Tensor out, @Nullable Tensor lse, Tensor table, Tensor lengths) {
        new MlaDecodeAttentionKernel().run(QUEUE, out, lse, f32(4, 1, 4, 3), f32(3, 3, 2, 3), table, lengths, 1);
    }

    @Test
    @DisplayName("mla_decode_attention: lengths and blocks outside fail before; nothing seen gives zeros and -infinity")
    void decodes() {
        fails(
                "op mla_decode_attention on cpu:0: seqLens[0]: expected 0 to 4, given 5",
                out -> decode(out, null, table(0, 1), i32(5)),
                1,
                4,
                3);
        fails(
                "op mla_decode_attention on cpu:0: blockTable[0][1]: expected 0 to 2, given -1",
                out -> decode(out, null, table(0, -1), i32(3)),
                1,
                4,
                3);
        Tensor out = Data.of(DType.F32, SEVENS, 1, 4, 3);
        Tensor lse = Data.of(DType.F32, new double[4], 1, 4);
        decode(out, lse, table(0, -1), i32(0));
        assertArrayEquals(new double[12], Data.read(out));
        assertEquals(Double.NEGATIVE_INFINITY, Data.get(lse, 3));
        decode(out, lse, table(0, -1), i32(1));
        Tensor first = f32(3, 3, 2, 3);
        assertEquals(Data.get(first, 2), Data.get(out, 11));
    }

    private static void prefill(Tensor out, @Nullable Tensor lse, Tensor rows, Tensor keys) {
        new MlaPrefillAttentionKernel()
                .run(QUEUE, out, lse, f32(5, 4, 1, 2), f32(6, 5, 1, 2), f32(7, 5, 1, 3), rows, keys, 1, true);
    }

    @Test
    @DisplayName("mla_prefill_attention: bounds that go back or outside fail before; rows that see nothing or belong to"
            + " none")
    void prefills() {
        fails(
                "op mla_prefill_attention on cpu:0: cuSeqlensQ[2]: expected 3 to 4, given 5",
                out -> prefill(out, null, i32(0, 3, 5), i32(0, 1, 2)),
                4,
                1,
                3);
        fails(
                "op mla_prefill_attention on cpu:0: cuSeqlensK[1]: expected 2 to 5, given 1",
                out -> prefill(out, null, i32(0, 3, 4), i32(2, 1, 2)),
                4,
                1,
                3);
        Tensor out = Data.of(DType.F32, SEVENS, 4, 1, 3);
        Tensor lse = Data.of(DType.F32, new double[] {7, 7, 7, 7}, 1, 4);
        prefill(out, lse, i32(1, 3), i32(2, 3));
        double[] got = Data.read(out);
        Tensor values = f32(7, 5, 1, 3);
        for (int i = 0; i < 3; i++) {
            assertEquals(7, got[i]);
            assertEquals(0, got[3 + i]);
            assertEquals(Data.get(values, 6 + i), got[6 + i]);
            assertEquals(7, got[9 + i]);
        }
        assertEquals(7, Data.get(lse, 0));
        assertEquals(Double.NEGATIVE_INFINITY, Data.get(lse, 1));
        assertEquals(7, Data.get(lse, 3));
    }
}
