package dev.vt.ops;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.DropinProbe;
import dev.vt.ops.kernel.RouterParams;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S12 mixture of experts, samplers: what no table of single wrong arguments can say")
class MoeOpsTest {
    private static final Queue QUEUE = ContractCases.QUEUE;
    private final Ops ops = new Ops(new RecordingDispatcher());

    @Test
    @DisplayName("S12 moe_grouped_gemm_bf16 without a row map takes a row of act for each row of out")
    void rowsWithoutMap() {
        Tensor out = tensor(DType.F32, 3, 5);
        Tensor ids = tensor(DType.I32, 3);
        Tensor weights = tensor(DType.I64, 6);
        Tensor act = tensor(DType.F32, 2, 4);
        VtException e =
                assertThrows(VtException.class, () -> ops.moeGroupedGemmBf16(QUEUE, out, act, ids, null, weights));
        assertEquals(
                "moe_grouped_gemm_bf16: argument act: expected dimension 0 to be 3 (dimension 0 of out, as there is no"
                        + " rowMap), given f32[2,4]",
                e.getMessage());
        assertDoesNotThrow(() -> ops.moeGroupedGemmBf16(QUEUE, out, act, ids, tensor(DType.I32, 3), weights));
    }

    @Test
    @DisplayName("S12 norms over the last dimension take rank 2 and 3")
    void ranks() {
        for (long[] shape : new long[][] {{3, 4}, {2, 3, 4}}) {
            ops.l2Norm(QUEUE, tensor(DType.F32, shape), tensor(DType.F32, shape), 1e-6f);
            ops.rmsNormGated(
                    QUEUE,
                    tensor(DType.F32, shape),
                    tensor(DType.F32, shape),
                    tensor(DType.F32, shape),
                    tensor(DType.F32, 4),
                    1e-6f,
                    false);
        }
        for (long[] shape : new long[][] {{4}, {1, 2, 3, 4}}) {
            assertThrows(
                    VtException.class,
                    () -> ops.l2Norm(QUEUE, tensor(DType.F32, shape), tensor(DType.F32, shape), 1e-6f));
        }
    }

    @Test
    @DisplayName("S12 a router needs as many experts in the kept groups as it is asked for")
    void tooManyExperts() {
        Tensor weights = tensor(DType.F32, 3, 5);
        Tensor indices = tensor(DType.I32, 3, 5);
        Tensor logits = tensor(DType.F32, 3, 8);
        RouterParams half = new RouterParams(false, false, 2, 1, 1f);
        VtException e =
                assertThrows(VtException.class, () -> ops.moeRouterTopK(QUEUE, weights, indices, logits, null, half));
        assertEquals(
                "moe_router_top_k: argument params: expected groups that keep the 5 experts of weights, given groups"
                        + " that keep 4",
                e.getMessage());
        assertDoesNotThrow(() -> ops.moeRouterTopK(QUEUE, weights, indices, logits, null, RouterParams.softmax(true)));
    }

    @Test
    @DisplayName("S12 a gate of the shared expert is one number a token, with or without a second dimension")
    void gateLogits() {
        Tensor out = tensor(DType.BF16, 3, 4);
        Tensor shared = tensor(DType.F32, 3, 4);
        ops.sharedExpertGate(QUEUE, out, shared, tensor(DType.F32, 3));
        ops.sharedExpertGate(QUEUE, out, shared, tensor(DType.F32, 3, 1));
        for (long[] wrong : new long[][] {{3, 2}, {1, 3}, {3, 1, 1}, {4}, {}}) {
            Tensor t = tensor(DType.F32, wrong);
            assertThrows(VtException.class, () -> ops.sharedExpertGate(QUEUE, out, shared, t), Arrays.toString(wrong));
        }
    }

    @Test
    @DisplayName("S12 mixture of experts: sizes of zero are legal, but one of nothing can't be picked")
    void zeroSizes() {
        Tensor none = tensor(DType.F32, 0, 4);
        ops.moeSiluMul(QUEUE, none, none, none);
        ops.moeCombine(QUEUE, tensor(DType.F32, 3, 4), tensor(DType.F32, 3, 0, 4), tensor(DType.F32, 3, 0), null);
        ops.moeRouterTopK(
                QUEUE,
                tensor(DType.F32, 0, 2),
                tensor(DType.I32, 0, 2),
                tensor(DType.F32, 0, 8),
                null,
                RouterParams.sigmoid(false));
        Tensor noIds = tensor(DType.I32, 0);
        ops.applyTokenMask(QUEUE, tensor(DType.F32, 3, 4), noIds, noIds);
        Tensor cu = tensor(DType.I32, 1);
        Tensor sampled = tensor(DType.I32, 0, 4);
        ops.greedyRejectionSample(QUEUE, sampled, noIds, tensor(DType.F32, 0, 0), noIds, cu);
        assertThrows(
                VtException.class,
                () -> ops.greedyRejectionSample(
                        QUEUE, sampled, noIds, tensor(DType.F32, 2, 0), tensor(DType.I32, 2), cu));
    }

    @Test
    @DisplayName("The report of dropin_probe: every dtype has a code of its own, its label")
    void codes() {
        assertEquals(
                DType.values().length,
                Arrays.stream(DType.values())
                        .mapToLong(DropinProbe::code)
                        .distinct()
                        .count());
        assertEquals('f' | '3' << 8 | '2' << 16, DropinProbe.code(DType.F32));
        assertEquals(DropinProbe.SLOTS, DropinProbe.FIRST_TENSOR + 3 * DropinProbe.TENSOR_SLOTS);
    }

    private static Tensor tensor(DType dtype, long... dims) {
        return ContractCases.tensor(ContractCases.CPU, dtype, dims);
    }
}
