package dev.vt.backend.cuda.internal.kernel.norm;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Variants;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.RmsNorm;
import org.jspecify.annotations.Nullable;

/** {@code rms_norm}: a block a row. */
final class RmsNormKernel implements RmsNorm {
    private final Variants variants;

    RmsNormKernel(KernelModule module) {
        variants = new Variants(module, "rms_norm");
    }

    @Override
    public Outcome run(
            Queue queue, Tensor out, Tensor x, Tensor weight, @Nullable Tensor residual, float eps, boolean gemma) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(x);
        no = no != null ? no : Operand.dense(weight);
        no = no != null ? no : Operand.dense(residual);
        if (no != null) {
            return no;
        }
        long rows = Operand.rowsOf(x);
        if (rows > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, x, weight);
            if (residual != null) {
                cuda.uses(residual);
            }
        }
        if (rows > 0) {
            try (Launch launch = cuda.launch(variants.of(x, out))) {
                launch.tensor(out)
                        .tensor(x)
                        .tensor(weight)
                        .i32(Operand.type(weight))
                        .optional(residual)
                        .i32(Operand.type(residual))
                        .i64(x.lastDim())
                        .f32(eps)
                        .i32(gemma ? 1 : 0)
                        .run(rows, Grid.ROW_THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
