package dev.vt.ops;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.Chain;
import dev.vt.ops.kernel.FusedStep;
import dev.vt.ops.kernel.FusedStep.Form;
import dev.vt.ops.kernel.MarlinLayout;
import dev.vt.ops.kernel.ScaleLayout;
import dev.vt.ops.kernel.StepCode;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Sizes of quantised operands, layouts of scales and weights, chains")
class QuantChecksTest {
    private final RecordingDispatcher dispatcher = new RecordingDispatcher();
    private final Ops ops = new Ops(dispatcher);

    private static Tensor tensor(DType dtype, long... dims) {
        return ContractCases.tensor(ContractCases.CPU, dtype, dims);
    }

    private static String refusal(Runnable call) {
        return assertThrows(VtException.class, call::run).getMessage();
    }

    @Test
    @DisplayName("S12 K is whole groups of 16, whole tiles of 32 for tensor cores; N where the op says")
    void multiples() {
        var q = ContractCases.QUEUE;
        Tensor bytes = tensor(DType.I8, 3, 12);
        assertEquals(
                "matmul_nvfp4: argument act: expected dimension 1 to be a multiple of 16, given f32[3,24]",
                refusal(() -> ops.matmulNvfp4(
                        q, tensor(DType.F32, 3, 3), tensor(DType.F32, 3, 24), bytes, tensor(DType.I8, 3, 1), 1)));
        assertEquals(
                "scaled_fp4_quant: argument x: expected dimension 1 to be a multiple of 16, given f32[3,24]",
                refusal(() -> ops.scaledFp4Quant(
                        q, bytes, tensor(DType.I8, 3, 1), tensor(DType.F32, 3, 24), 1, ScaleLayout.LINEAR)));
        assertEquals(
                "silu_and_mul_fp4_quant: argument x: expected dimension 1 to be a multiple of 32, given f32[3,48]",
                refusal(() -> ops.siluAndMulFp4Quant(
                        q, bytes, tensor(DType.I8, 3, 1), tensor(DType.F32, 3, 48), 1, ScaleLayout.LINEAR)));
        assertEquals(
                "matmul_nvfp4_cutlass: argument a: expected dimension 1 to be a multiple of 16, given i8[3,8]",
                refusal(() -> cutlass(32, 16)));
        assertEquals(
                "matmul_nvfp4_cutlass: argument b: expected dimension 0 to be a multiple of 32, given i8[16,16]",
                refusal(() -> cutlass(16, 32)));
        assertEquals(
                "matmul_fp8_cutlass: argument a: expected dimension 1 to be a multiple of 16, given i8[3,8]",
                refusal(() -> ops.matmulFp8Cutlass(
                        q, tensor(DType.F32, 3, 16), tensor(DType.I8, 3, 8), tensor(DType.I8, 16, 8), 1)));
        assertEquals(
                "matmul_fp8_cublaslt: argument b: expected dimension 0 to be a multiple of 16, given i8[8,16]",
                refusal(() -> ops.matmulFp8Cublaslt(
                        q, tensor(DType.F32, 3, 8), tensor(DType.I8, 3, 16), tensor(DType.I8, 8, 16), 1)));
    }

    private void cutlass(long n, long k) {
        ops.matmulNvfp4Cutlass(
                ContractCases.QUEUE,
                tensor(DType.BF16, 3, n),
                tensor(DType.I8, 3, k / 2),
                tensor(DType.I8, 128, 4),
                tensor(DType.I8, n, k / 2),
                tensor(DType.I8, 128, 4),
                1,
                null);
    }

    @Test
    @DisplayName("S12 moe_grouped_gemm_nvfp4 without a row map has as many rows of act as of out")
    void noRowMap() {
        Tensor act = tensor(DType.F32, 4, 32);
        Tensor ids = tensor(DType.I32, 3);
        Tensor out = tensor(DType.F32, 3, 5);
        Tensor addresses = tensor(DType.I64, 7);
        Tensor scale2 = tensor(DType.F32, 7);
        assertEquals(
                "moe_grouped_gemm_nvfp4: argument act: expected dimension 0 to be 3 (dimension 0 of out, since there"
                        + " is no rowMap), given f32[4,32]",
                refusal(() -> ops.moeGroupedGemmNvfp4(
                        ContractCases.QUEUE, out, act, ids, null, addresses, tensor(DType.I64, 7), scale2)));
        assertDoesNotThrow(() -> ops.moeGroupedGemmNvfp4(
                ContractCases.QUEUE, out, act, ids, tensor(DType.I32, 3), addresses, tensor(DType.I64, 7), scale2));
    }

    @Test
    @DisplayName("S12 a chain's weight and residual are needed when it uses them, and only then")
    void chainOperands() {
        var q = ContractCases.QUEUE;
        Chain silu = new Chain(List.of(FusedStep.of(StepCode.SILU, Chain.OUT, Chain.X)), List.of());
        ops.fusedChain(q, tensor(DType.F32, 2, 3), tensor(DType.F32, 2, 3), null, null, silu, 1e-6f);
        Chain norm = new Chain(List.of(FusedStep.rmsNorm(Form.PLAIN, Chain.OUT, Chain.X, Chain.WEIGHT)), List.of());
        assertEquals(
                "fused_chain: argument weight: expected a tensor, since the chain uses it, given null",
                refusal(() ->
                        ops.fusedChain(q, tensor(DType.F32, 2, 3), tensor(DType.F32, 2, 3), null, null, norm, 1e-6f)));
    }

    @Test
    @DisplayName("The swizzled layout is a bijection of rows and groups onto the bytes, in tiles of 128 by 4")
    void swizzled() {
        assertEquals(256, ScaleLayout.SWIZZLED.rows(129));
        assertEquals(8, ScaleLayout.SWIZZLED.groups(5));
        assertEquals(0, ScaleLayout.SWIZZLED.rows(0));
        Set<Long> seen = new HashSet<>();
        for (int r = 0; r < 256; r++) {
            for (int g = 0; g < 8; g++) {
                seen.add(ScaleLayout.SWIZZLED.at(r, g, 5));
            }
        }
        assertEquals(256 * 8, seen.size());
        assertEquals(256 * 8 - 1, Collections.max(seen));
        assertEquals(0, ScaleLayout.SWIZZLED.at(0, 0, 5));
        assertEquals(3, ScaleLayout.SWIZZLED.at(0, 3, 5));
        assertEquals(16, ScaleLayout.SWIZZLED.at(1, 0, 5));
        assertEquals(4, ScaleLayout.SWIZZLED.at(32, 0, 5));
        assertEquals(512, ScaleLayout.SWIZZLED.at(0, 4, 5));
        assertEquals(1024, ScaleLayout.SWIZZLED.at(128, 0, 5));
        assertEquals(7, ScaleLayout.LINEAR.at(1, 2, 5));
    }

    @Test
    @DisplayName("Marlin's order is a bijection of a tile's elements onto its nibbles, of 64 columns onto their scales")
    void marlin() {
        Set<Long> nibbles = new HashSet<>();
        Set<Long> scales = new HashSet<>();
        for (int n = 0; n < 128; n++) {
            scales.add(MarlinLayout.scale(n));
            for (int k = 0; k < 16; k++) {
                nibbles.add(MarlinLayout.word(k, n) * 8 + MarlinLayout.bit(k, n) / 4);
            }
        }
        assertEquals(128 * 16, nibbles.size());
        assertEquals(128 * 16 - 1, Collections.max(nibbles));
        assertEquals(128, scales.size());
        assertEquals(127, Collections.max(scales));
        // Thread 0 of the first warp holds rows 0, 1, 8, 9 of columns 0 and 8.
        assertEquals(0, MarlinLayout.word(9, 8));
        assertEquals(28, MarlinLayout.bit(9, 8));
        assertEquals(4, MarlinLayout.bit(8, 0));
        assertEquals(8, MarlinLayout.bit(0, 8));
        assertEquals(16, MarlinLayout.bit(1, 0));
    }

    @Test
    @DisplayName("A chain that can't run is refused with the step that is wrong")
    void chains() {
        FusedStep add = FusedStep.of(StepCode.ADD, Chain.OUT, Chain.X, Chain.X);
        assertEquals("chain: expected 1 to 8 steps, given 0", refusal(() -> new Chain(List.of(), List.of())));
        assertEquals(
                "chain: expected 1 to 8 steps, given 9",
                refusal(() -> new Chain(Collections.nCopies(9, add), List.of())));
        assertEquals(
                "chain: expected at most 4 temporary rows, given 5",
                refusal(() -> new Chain(List.of(add), Collections.nCopies(5, DType.F32))));
        assertEquals(
                "chain: expected temporary rows of f32 or bf16, given f16",
                refusal(() -> new Chain(List.of(add), List.of(DType.F16))));
        assertEquals(
                "chain: step 0: expected a slot to write instead of slot 0",
                refusal(() -> new Chain(List.of(FusedStep.of(StepCode.SILU, Chain.X, Chain.X)), List.of())));
        assertEquals(
                "chain: step 0: expected what is given or was written before instead of slot 4",
                refusal(() -> new Chain(List.of(FusedStep.of(StepCode.SILU, Chain.OUT, 4)), List.of(DType.F32))));
        assertEquals(
                "chain: step 0: expected a slot to write instead of slot 5",
                refusal(() -> new Chain(List.of(FusedStep.of(StepCode.SILU, 5, Chain.X)), List.of(DType.F32))));
        assertEquals(
                "chain: step 0: expected the result to go to slot 3",
                refusal(() -> new Chain(List.of(FusedStep.of(StepCode.SILU, 4, Chain.X)), List.of(DType.F32))));
        assertEquals(
                "chain: step 0: expected a code that works row by row, in a given form",
                refusal(() -> new Chain(List.of(FusedStep.of(StepCode.QUANT_FP8, Chain.OUT, Chain.X)), List.of())));
        assertEquals(
                "chain: step 0: expected the weight's slot instead of slot 0",
                refusal(() ->
                        new Chain(List.of(FusedStep.rmsNorm(Form.PLAIN, Chain.OUT, Chain.X, Chain.X)), List.of())));
        assertEquals(
                "step ADD: expected 1 outputs, 2 inputs and 0 weights, given [3], [0] and []",
                refusal(() -> FusedStep.of(StepCode.ADD, Chain.OUT, Chain.X)));
        assertEquals("chain ADD[0, 0][]->[3]", new Chain(List.of(add), List.of()).toString());
    }
}
