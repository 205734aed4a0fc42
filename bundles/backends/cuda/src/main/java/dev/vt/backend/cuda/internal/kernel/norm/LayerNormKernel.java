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
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.LayerNorm;
import org.jspecify.annotations.Nullable;

/** {@code layer_norm}: a row by a block or by a part of a warp; mean first, then the squares of what differs from it. */
final class LayerNormKernel implements LayerNorm {
    private final Variants variants;

    LayerNormKernel(KernelModule module) {
        variants = new Variants(module, "layer_norm");
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x, @Nullable Tensor weight, @Nullable Tensor bias, float eps) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(x);
        no = no != null ? no : Operand.dense(weight);
        no = no != null ? no : Operand.dense(bias);
        if (no != null) {
            return no;
        }
        long rows = Operand.rowsOf(x);
        if (rows > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            note(cuda, out, x, weight, bias);
        }
        if (rows > 0) {
            long n = x.lastDim();
            boolean packed = Packs.aligned(out) && Packs.aligned(x) && Packs.aligned(weight) && Packs.aligned(bias);
            try (Launch launch = cuda.launch(variants.of(x, out))) {
                launch.tensor(out)
                        .tensor(x)
                        .optional(weight)
                        .i32(Operand.type(weight))
                        .optional(bias)
                        .i32(Operand.type(bias));
                RowLanes.describe(launch, rows, n, 1.0 / n, eps, packed);
                RowLanes.run(launch, rows, n);
            }
        }
        return Outcome.SERVED;
    }

    private static void note(LaunchQueue cuda, Tensor out, Tensor x, @Nullable Tensor weight, @Nullable Tensor bias) {
        cuda.uses(out, x);
        if (weight != null) {
            cuda.uses(weight);
        }
        if (bias != null) {
            cuda.uses(bias);
        }
    }
}
