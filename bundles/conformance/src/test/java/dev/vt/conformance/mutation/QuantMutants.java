package dev.vt.conformance.mutation;

import static dev.vt.conformance.mutation.Mutant.full;
import static dev.vt.conformance.mutation.Mutant.quick;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Chain;
import dev.vt.ops.kernel.FusedStep;
import dev.vt.ops.kernel.FusedStep.Form;
import dev.vt.ops.kernel.ScaleLayout;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Faults of kernels with four and eight bits: right kernels that are told something else, or whose bytes are changed after. */
final class QuantMutants {
    private final KernelSet right;

    private QuantMutants(KernelSet right) {
        this.right = right;
    }

    static List<Mutant> all(KernelSet right) {
        QuantMutants m = new QuantMutants(right);
        return Stream.of(m.quantised(), m.products(), m.fused())
                .flatMap(List::stream)
                .toList();
    }

    private <K> K kernel(Op<K> op) {
        return Objects.requireNonNull(right.get(op));
    }

    @FunctionalInterface
    private interface Change {
        int of(int code);
    }

    /** Changes every byte of a contiguous tensor behind the kernel's work. */
    private static Outcome changed(Queue queue, Tensor t, Outcome outcome, Change change) {
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(t);
        }
        cpu.submit(workers -> {
            for (long i = t.offset(); i < t.offset() + t.elements(); i++) {
                int code = t.segment().get(ValueLayout.JAVA_BYTE, i) & 0xff;
                t.segment().set(ValueLayout.JAVA_BYTE, i, (byte) change.of(code));
            }
        });
        return outcome;
    }

    private List<Mutant> quantised() {
        var fp4 = kernel(OpTable.SCALED_FP4_QUANT);
        var sigmoid = kernel(OpTable.SIGMOID_GATE_FP4_QUANT);
        var fp8 = kernel(OpTable.QUANT_FP8_STATIC);
        return List.of(
                quick(
                        "the two codes of a byte are swapped",
                        OpTable.SCALED_FP4_QUANT,
                        (q, packed, scale, x, g, layout) ->
                                changed(q, packed, fp4.run(q, packed, scale, x, g, layout), c -> c % 16 * 16 + c / 16),
                        "expected the code of"),
                quick(
                        "block scales are divided by the global scale",
                        OpTable.SCALED_FP4_QUANT,
                        (q, packed, scale, x, g, layout) -> fp4.run(q, packed, scale, x, 1 / g, layout),
                        "expected"),
                quick(
                        "block scales are linear where they should be swizzled",
                        OpTable.SCALED_FP4_QUANT,
                        (q, packed, scale, x, g, layout) -> fp4.run(q, packed, scale, x, g, ScaleLayout.LINEAR),
                        "was not written"),
                quick(
                        "attention and gate are swapped",
                        OpTable.SIGMOID_GATE_FP4_QUANT,
                        (q, packed, scale, attn, gate, g, layout) ->
                                sigmoid.run(q, packed, scale, gate, attn, g, layout),
                        "expected"),
                quick(
                        "a number is multiplied by the scale",
                        OpTable.QUANT_FP8_STATIC,
                        (q, out, x, scale) -> fp8.run(q, out, x, 1 / scale),
                        "expected"),
                quick(
                        "numbers below the normal ones of e4m3 become 0",
                        OpTable.QUANT_FP8_STATIC,
                        (q, out, x, scale) ->
                                changed(q, out, fp8.run(q, out, x, scale), c -> c % 128 < 8 ? c & 128 : c),
                        "expected"),
                quick(
                        "what is larger than 448 becomes NaN",
                        OpTable.QUANT_FP8_STATIC,
                        (q, out, x, scale) ->
                                changed(q, out, fp8.run(q, out, x, scale), c -> c % 128 == 126 ? c + 1 : c),
                        "got NaN"));
    }

    private List<Mutant> products() {
        var weights = kernel(OpTable.MATMUL_NVFP4);
        var both = kernel(OpTable.MATMUL_NVFP4_CUTLASS);
        var fp8 = kernel(OpTable.MATMUL_FP8_CUBLASLT);
        var marlin = kernel(OpTable.MOE_GROUPED_GEMM_NVFP4_MARLIN);
        return List.of(
                quick(
                        "the scale of the tensor is left out",
                        OpTable.MATMUL_NVFP4,
                        (q, out, act, packed, scale, scale2) -> weights.run(q, out, act, packed, scale, 1),
                        "expected"),
                quick(
                        "the factor on the device is not looked at",
                        OpTable.MATMUL_NVFP4_CUTLASS,
                        (q, out, a, aScale, b, bScale, alpha, onDevice) ->
                                both.run(q, out, a, aScale, b, bScale, alpha, null),
                        "expected"),
                quick(
                        "alpha loses its sign",
                        OpTable.MATMUL_FP8_CUBLASLT,
                        (q, out, a, b, alpha) -> fp8.run(q, out, a, b, Math.abs(alpha)),
                        "expected"),
                quick(
                        "the router's weights are left out",
                        OpTable.MOE_GROUPED_GEMM_NVFP4_MARLIN,
                        (q, out, act, w, s, s2, ids, experts, count, topk, locks, block, k) ->
                                marlin.run(q, out, act, w, s, s2, ids, experts, count, null, locks, block, k),
                        "expected"),
                full(
                        "each token has one expert",
                        OpTable.MOE_GROUPED_GEMM_NVFP4_MARLIN,
                        (q, out, act, w, s, s2, ids, experts, count, topk, locks, block, k) ->
                                marlin.run(q, out, act, w, s, s2, ids, experts, count, topk, locks, block, 2 * k),
                        "expected"));
    }

    private List<Mutant> fused() {
        var chain = kernel(OpTable.FUSED_CHAIN);
        var norm = kernel(OpTable.RMS_NORM_QUANT_FP8);
        return List.of(
                quick(
                        "1 + weight is taken as the weight",
                        OpTable.FUSED_CHAIN,
                        (q, out, x, w, residual, c, eps) -> chain.run(q, out, x, w, residual, plain(c), eps),
                        "expected"),
                quick(
                        "the copy is not written",
                        OpTable.RMS_NORM_QUANT_FP8,
                        (q, out, copy, x, w, residual, eps, gemma, scale) ->
                                norm.run(q, out, null, x, w, residual, eps, gemma, scale),
                        "was not written"),
                quick(
                        "a code is one too small",
                        OpTable.RMS_NORM_QUANT_FP8,
                        (q, out, copy, x, w, residual, eps, gemma, scale) -> changed(
                                q,
                                out,
                                norm.run(q, out, copy, x, w, residual, eps, gemma, scale),
                                c -> c == 0x30 ? 0x2f : c),
                        "expected"));
    }

    private static Chain plain(Chain chain) {
        List<FusedStep> steps = chain.steps().stream()
                .map(s -> new FusedStep(s.code(), Form.PLAIN, s.outputs(), s.inputs(), s.weights()))
                .toList();
        return new Chain(steps, chain.temporaries());
    }
}
