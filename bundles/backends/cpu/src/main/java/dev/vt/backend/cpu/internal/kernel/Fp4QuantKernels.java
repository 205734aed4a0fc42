package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.BinaryFp4Quant;
import dev.vt.ops.kernel.ScaleLayout;
import dev.vt.ops.kernel.UnaryFp4Quant;

/** The quantisations to nvfp4, alone and behind a gate. A gate's product is rounded to bf16 first. */
final class Fp4QuantKernels {
    static final UnaryFp4Quant SCALED = Fp4QuantKernels::scaled;
    static final UnaryFp4Quant SILU_AND_MUL = Fp4QuantKernels::siluAndMul;

    /** a: gate, b: up. */
    static final BinaryFp4Quant SILU_MUL = (queue, packed, scale, a, b, globalScale, layout) ->
            gated(queue, packed, scale, a, b, globalScale, layout, Fp4QuantKernels::siluMul);

    /** a: attention, b: gate. */
    static final BinaryFp4Quant SIGMOID_GATE = (queue, packed, scale, a, b, globalScale, layout) ->
            gated(queue, packed, scale, a, b, globalScale, layout, Fp4QuantKernels::sigmoidGate);

    private Fp4QuantKernels() {}

    /** a[i] becomes a function of a[i] and b[i]. */
    @FunctionalInterface
    private interface Gate {
        void apply(float[] a, float[] b, int n);
    }

    private static void siluMul(float[] gate, float[] up, int n) {
        for (int i = 0; i < n; i++) {
            gate[i] = Rows.roundBf16(GatedKernel.silu(gate[i]) * up[i]);
        }
    }

    private static void sigmoidGate(float[] attn, float[] gate, int n) {
        for (int i = 0; i < n; i++) {
            attn[i] = Rows.roundBf16(SigmoidGateKernel.gated(attn[i], gate[i]));
        }
    }

    private static Outcome scaled(
            Queue queue, Tensor packed, Tensor scale, Tensor x, float globalScale, ScaleLayout layout) {
        if (!Rows.readable(packed) || !scale.contiguous() || !Rows.readable(x)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(packed, scale, x);
        }
        Rows from = Rows.of(x);
        Fp4Target target = new Fp4Target(packed, scale, globalScale, layout);
        cpu.submit(workers -> target.fill(workers, 4, (row, col, n, to) -> from.read(row, col, n, to, 0)));
        return Outcome.SERVED;
    }

    private static Outcome siluAndMul(
            Queue queue, Tensor packed, Tensor scale, Tensor x, float globalScale, ScaleLayout layout) {
        if (!Rows.readable(packed) || !scale.contiguous() || !Rows.readable(x)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(packed, scale, x);
        }
        Rows from = Rows.of(x);
        long half = from.cols() / 2;
        Fp4Target target = new Fp4Target(packed, scale, globalScale, layout);
        cpu.submit(workers -> target.fill(workers, 25, (row, col, n, to) -> {
            float[] up = new float[n];
            from.read(row, col, n, to, 0);
            from.read(row, half + col, n, up, 0);
            siluMul(to, up, n);
        }));
        return Outcome.SERVED;
    }

    private static Outcome gated(
            Queue queue,
            Tensor packed,
            Tensor scale,
            Tensor a,
            Tensor b,
            float globalScale,
            ScaleLayout layout,
            Gate gate) {
        if (!Rows.readable(packed) || !scale.contiguous() || !Rows.readable(a) || !Rows.readable(b)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(packed, scale, a, b);
        }
        Rows left = Rows.of(a);
        Rows right = Rows.of(b);
        Fp4Target target = new Fp4Target(packed, scale, globalScale, layout);
        cpu.submit(workers -> target.fill(workers, 25, (row, col, n, to) -> {
            float[] second = new float[n];
            left.read(row, col, n, to, 0);
            right.read(row, col, n, second, 0);
            gate.apply(to, second, n);
        }));
        return Outcome.SERVED;
    }
}
