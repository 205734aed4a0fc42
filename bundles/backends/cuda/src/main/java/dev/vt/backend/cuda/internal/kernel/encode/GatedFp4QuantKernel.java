package dev.vt.backend.cuda.internal.kernel.encode;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.BinaryFp4Quant;
import dev.vt.ops.kernel.ScaleLayout;
import dev.vt.ops.kernel.UnaryFp4Quant;

/**
 * {@code silu_mul_fp4_quant}, {@code silu_and_mul_fp4_quant} and {@code sigmoid_gate_fp4_quant}: a gated product, rounded to bf16, then
 * what {@code scaled_fp4_quant} does.
 */
final class GatedFp4QuantKernel implements BinaryFp4Quant, UnaryFp4Quant {
    private final KernelFunction function;
    private final boolean sigmoid;

    GatedFp4QuantKernel(KernelModule module, boolean sigmoid) {
        this.function = module.function("gated_fp4_quant");
        this.sigmoid = sigmoid;
    }

    @Override
    public Outcome run(
            Queue queue, Tensor packed, Tensor scale, Tensor a, Tensor b, float globalScale, ScaleLayout layout) {
        Outcome no = Fp4Target.decline(packed, scale);
        no = no != null ? no : Operand.dense(a);
        no = no != null ? no : Operand.dense(b);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(packed, scale, a, b);
        }
        if (scale.elements() > 0) {
            try (Launch launch = cuda.launch(function)) {
                Fp4Target.describe(launch, packed, scale, globalScale, layout, Packs.aligned(a) && Packs.aligned(b))
                        .tensor(a)
                        .i32(Operand.type(a))
                        .tensor(b)
                        .i32(Operand.type(b))
                        .i64(a.dim(1))
                        .i32(sigmoid ? 1 : 0);
                Fp4Target.run(launch, scale);
            }
        }
        return Outcome.SERVED;
    }

    /** Of the two halves of each row. */
    @Override
    public Outcome run(Queue queue, Tensor packed, Tensor scale, Tensor x, float globalScale, ScaleLayout layout) {
        Outcome no = Fp4Target.decline(packed, scale);
        no = no != null ? no : Operand.dense(x);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(packed, scale, x);
        }
        if (scale.elements() > 0) {
            long address = x.segment().address() + x.offset();
            long half = x.dim(1) / 2 * x.dtype().blockBytes();
            try (Launch launch = cuda.launch(function)) {
                Fp4Target.describe(launch, packed, scale, globalScale, layout, Packs.aligned(x))
                        .address(address)
                        .i32(Operand.type(x))
                        .address(address + half)
                        .i32(Operand.type(x))
                        .i64(x.dim(1))
                        .i32(sigmoid ? 1 : 0);
                Fp4Target.run(launch, scale);
            }
        }
        return Outcome.SERVED;
    }
}
