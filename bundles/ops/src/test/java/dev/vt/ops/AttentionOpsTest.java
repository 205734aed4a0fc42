package dev.vt.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

@DisplayName("S12 what the table of contracts can't say of the attention ops")
class AttentionOpsTest {
    private final RecordingDispatcher dispatcher = new RecordingDispatcher();
    private final Ops ops = new Ops(dispatcher);
    private final Queue queue = ContractCases.QUEUE;

    private static Tensor f32(long... dims) {
        return ContractCases.tensor(ContractCases.CPU, DType.F32, dims);
    }

    private static Tensor i32(long... dims) {
        return ContractCases.tensor(ContractCases.CPU, DType.I32, dims);
    }

    private static void refused(String message, Executable call) {
        assertEquals(message, assertThrows(VtException.class, call).getMessage());
    }

    @Test
    @DisplayName("S12 query heads that are no multiple of key heads are refused, no heads at all are fine")
    void heads() {
        refused(
                "attention: argument query: expected dimension 1 to be a multiple of that of key, which is f32[3,2,6],"
                        + " given f32[3,5,6]",
                () -> ops.attention(queue, f32(3, 5, 6), f32(3, 5, 6), f32(3, 2, 6), f32(3, 2, 6), 1));
        refused(
                "attention: argument query: expected dimension 1 to be a multiple of that of key, which is f32[3,0,6],"
                        + " given f32[3,5,6]",
                () -> ops.attention(queue, f32(3, 5, 6), f32(3, 5, 6), f32(3, 0, 6), f32(3, 0, 6), 1));
        ops.attention(queue, f32(3, 0, 6), f32(3, 0, 6), f32(3, 0, 6), f32(3, 0, 6), 1);
        assertEquals(1, dispatcher.calls().size());
    }

    @Test
    @DisplayName("S12 the values of mla_decode_attention are no wider than its keys")
    void valueWidth() {
        ops.mlaDecodeAttention(queue, f32(1, 2, 3), null, f32(1, 2, 6), f32(4, 2, 6), i32(1, 4), i32(1), 1);
        assertEquals(1, dispatcher.calls().size());
        refused(
                "mla_decode_attention: argument out: expected dimension 2 to be at most that of query, which is"
                        + " f32[1,2,6], given f32[1,2,7]",
                () -> ops.mlaDecodeAttention(
                        queue, f32(1, 2, 7), null, f32(1, 2, 6), f32(4, 2, 6), i32(1, 4), i32(1), 1));
    }

    @Test
    @DisplayName("S12 gather_mla_cache: dst may be longer than the rows, not shorter")
    void gatherRows() {
        ops.gatherMlaCache(queue, f32(9, 6), f32(4, 2, 6), i32(1, 4), i32(2), i32(5), null);
        assertEquals(1, dispatcher.calls().size());
        refused(
                "gather_mla_cache: argument dst: expected dimension 0 to be at least that of tokenToSeq, which is"
                        + " i32[5], given f32[4,6]",
                () -> ops.gatherMlaCache(queue, f32(4, 6), f32(4, 2, 6), i32(1, 4), i32(2), i32(5), null));
    }

    @Test
    @DisplayName("S12 mla_prefill_attention: the bounds of no sequences are one number, not none")
    void noBounds() {
        ops.mlaPrefillAttention(
                queue, f32(3, 2, 4), null, f32(3, 2, 6), f32(3, 2, 6), f32(3, 2, 4), i32(1), i32(1), 1, true);
        assertEquals(1, dispatcher.calls().size());
        refused(
                "mla_prefill_attention: argument cuSeqlensQ: expected dimension 0 to be 1 or more, given i32[0]",
                () -> ops.mlaPrefillAttention(
                        queue, f32(3, 2, 4), null, f32(3, 2, 6), f32(3, 2, 6), f32(3, 2, 4), i32(0), i32(0), 1, true));
    }

    @Test
    @DisplayName("S12 concat_mla_nope_rope: one rope head may serve all")
    void oneRopeHead() {
        ops.concatMlaNopeRope(queue, f32(3, 4, 6), f32(3, 4, 2), f32(3, 1, 4));
        assertEquals(1, dispatcher.calls().size());
        refused(
                "concat_mla_nope_rope: argument rope: expected dimension 1 to be 4 (1 or dimension 1 of out), given"
                        + " f32[3,2,4]",
                () -> ops.concatMlaNopeRope(queue, f32(3, 4, 6), f32(3, 4, 2), f32(3, 2, 4)));
    }

    @Test
    @DisplayName("S12 attn_qk_norm_rope_gate: the rotated part is even, above 0 and no wider than a head")
    void rotaryWidth() {
        for (long wrong : new long[] {0, 3, 8}) {
            refused(
                    "attn_qk_norm_rope_gate: argument cosSin: expected dimension 1 to be even, above 0 and at most"
                            + " dimension 2 of qOut, which is f32[3,4,6], given f32[3," + wrong + "]",
                    () -> ops.attnQkNormRopeGate(
                            queue,
                            f32(3, 4, 6),
                            f32(3, 2, 6),
                            f32(3, 4, 6),
                            f32(3, 48),
                            f32(3, 12),
                            f32(6),
                            f32(6),
                            f32(3, wrong),
                            1e-6f));
        }
    }

    @Test
    @DisplayName("S12 batched_matmul: an input may be one matrix for all, an output may not")
    void broadcast() {
        HostMemory memory = new HostMemory(ContractCases.CPU, 4096);
        Tensor one = Tensor.strided(memory, 0, DType.F32, new long[] {2, 4, 4}, new long[] {0, 4, 1});
        ops.batchedMatmul(queue, f32(2, 4, 4), f32(2, 4, 4), one);
        assertEquals(1, dispatcher.calls().size());
        refused(
                "batched_matmul: argument out: expected a tensor whose rows are contiguous and do not overlap, given"
                        + " f32[2,4,4] with strides [0,4,1]",
                () -> ops.batchedMatmul(queue, one, f32(2, 4, 4), f32(2, 4, 4)));
    }
}
