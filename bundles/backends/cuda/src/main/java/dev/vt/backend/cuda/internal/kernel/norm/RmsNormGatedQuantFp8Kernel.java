package dev.vt.backend.cuda.internal.kernel.norm;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.kernel.support.RowLanes;
import dev.vt.backend.cuda.internal.kernel.support.Variants;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.RmsNormGatedQuantFp8;

/** {@code rms_norm_gated_quant_fp8}: {@code rms_norm_gated} with the same sums, rounded to bf16, then {@code quant_fp8_static}. */
final class RmsNormGatedQuantFp8Kernel implements RmsNormGatedQuantFp8 {
    private final KernelFunction[] functions;

    RmsNormGatedQuantFp8Kernel(KernelModule module) {
        functions = Variants.inputs(module, "rms_norm_gated_fp8");
    }

    @Override
    public Outcome run(
            Queue queue, Tensor out, Tensor x, Tensor gate, Tensor weight, float eps, boolean sigmoid, float scale) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(x);
        no = no != null ? no : Gate.readable(gate);
        no = no != null ? no : Operand.dense(weight);
        if (no != null) {
            return no;
        }
        long rows = Operand.rowsOf(x);
        if (rows > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, x, gate, weight);
        }
        if (rows > 0) {
            long n = x.lastDim();
            boolean packed = Packs.aligned(out) && Packs.aligned(x) && Packs.aligned(weight) && Gate.packed(gate);
            try (Launch launch = cuda.launch(functions[Operand.type(x)])) {
                launch.tensor(out).f32(scale).tensor(x).tensor(weight).i32(Operand.type(weight));
                Gate.describe(launch, gate, sigmoid);
                RowLanes.describe(launch, rows, n, 1.0 / n, eps, packed);
                RowLanes.run(launch, rows, n);
            }
        }
        return Outcome.SERVED;
    }
}
