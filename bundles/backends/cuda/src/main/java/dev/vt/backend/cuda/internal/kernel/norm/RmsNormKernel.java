package dev.vt.backend.cuda.internal.kernel.norm;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
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
import dev.vt.ops.kernel.RmsNorm;
import org.jspecify.annotations.Nullable;

/** {@code rms_norm}: a row by a block or by a part of a warp; with a residual in one pass with the addition. */
final class RmsNormKernel implements RmsNorm {
    private final Variants alone;
    private final Variants withF32;
    private final Variants withBf16;

    RmsNormKernel(KernelModule plain, KernelModule adding) {
        alone = new Variants(plain, "rms_norm");
        withF32 = new Variants(adding, "rms_norm_f32");
        withBf16 = new Variants(adding, "rms_norm_bf16");
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
            launch(cuda, rows, out, x, weight, residual, eps, gemma);
        }
        return Outcome.SERVED;
    }

    private void launch(
            LaunchQueue cuda,
            long rows,
            Tensor out,
            Tensor x,
            Tensor weight,
            @Nullable Tensor residual,
            float eps,
            boolean gemma) {
        long n = x.lastDim();
        boolean packed = Packs.aligned(out) && Packs.aligned(x) && Packs.aligned(weight) && Packs.aligned(residual);
        try (Launch launch = cuda.launch(variants(residual).of(x, out))) {
            launch.tensor(out)
                    .tensor(x)
                    .tensor(weight)
                    .i32(Operand.type(weight))
                    .optional(residual);
            RowLanes.describe(launch, rows, n, 1.0 / n, eps, packed);
            launch.i32(gemma ? 1 : 0);
            RowLanes.run(launch, rows, n);
        }
    }

    private Variants variants(@Nullable Tensor residual) {
        if (residual == null) {
            return alone;
        }
        return residual.dtype() == DType.F32 ? withF32 : withBf16;
    }
}
