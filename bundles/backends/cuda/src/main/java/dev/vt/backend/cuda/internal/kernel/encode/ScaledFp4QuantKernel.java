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
import dev.vt.ops.kernel.ScaleLayout;
import dev.vt.ops.kernel.UnaryFp4Quant;

/** {@code scaled_fp4_quant}: a thread makes the codes of a group and their scale. */
final class ScaledFp4QuantKernel implements UnaryFp4Quant {
    private final KernelFunction function;

    ScaledFp4QuantKernel(KernelModule module) {
        function = module.function("scaled_fp4_quant");
    }

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
            try (Launch launch = cuda.launch(function)) {
                Fp4Target.describe(launch, packed, scale, globalScale, layout, Packs.aligned(x))
                        .tensor(x)
                        .i32(Operand.type(x));
                Fp4Target.run(launch, scale);
            }
        }
        return Outcome.SERVED;
    }
}
