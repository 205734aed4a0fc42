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
import dev.vt.ops.kernel.L2Norm;

/** {@code l2_norm}: as {@code rms_norm}, by the sum instead of the mean, without a weight. */
final class L2NormKernel implements L2Norm {
    private final Variants variants;

    L2NormKernel(KernelModule module) {
        variants = new Variants(module, "l2_norm");
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x, float eps) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(x);
        if (no != null) {
            return no;
        }
        long rows = Operand.rowsOf(x);
        if (rows > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, x);
        }
        if (rows > 0) {
            long n = x.lastDim();
            try (Launch launch = cuda.launch(variants.of(x, out))) {
                launch.tensor(out).tensor(x);
                RowLanes.describe(launch, rows, n, 1, eps, Packs.aligned(out) && Packs.aligned(x));
                RowLanes.run(launch, rows, n);
            }
        }
        return Outcome.SERVED;
    }
}
