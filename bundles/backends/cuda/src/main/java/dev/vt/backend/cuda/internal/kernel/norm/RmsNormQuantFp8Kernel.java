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
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.RmsNormQuantFp8;
import org.jspecify.annotations.Nullable;

/** {@code rms_norm_quant_fp8}: {@code rms_norm} with the same sums, rounded to bf16, then {@code quant_fp8_static}. */
final class RmsNormQuantFp8Kernel implements RmsNormQuantFp8 {
    private final KernelFunction[] alone;
    private final KernelFunction[] withF32;
    private final KernelFunction[] withBf16;

    RmsNormQuantFp8Kernel(KernelModule module) {
        alone = Variants.inputs(module, "rms_norm_fp8");
        withF32 = Variants.inputs(module, "rms_norm_fp8_f32");
        withBf16 = Variants.inputs(module, "rms_norm_fp8_bf16");
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            @Nullable Tensor copy,
            Tensor x,
            Tensor weight,
            @Nullable Tensor residual,
            float eps,
            boolean gemma,
            float scale) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(copy);
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
            uses(cuda, copy);
            uses(cuda, residual);
        }
        if (rows > 0) {
            long n = x.lastDim();
            boolean packed = Packs.aligned(out)
                    && Packs.aligned(copy)
                    && Packs.aligned(x)
                    && Packs.aligned(weight)
                    && Packs.aligned(residual);
            try (Launch launch = cuda.launch(functions(residual)[Operand.type(x)])) {
                launch.tensor(out).optional(copy).f32(scale).tensor(x);
                launch.tensor(weight).i32(Operand.type(weight)).optional(residual);
                RowLanes.describe(launch, rows, n, 1.0 / n, eps, packed);
                launch.i32(gemma ? 1 : 0);
                RowLanes.run(launch, rows, n);
            }
        }
        return Outcome.SERVED;
    }

    private static void uses(LaunchQueue cuda, @Nullable Tensor t) {
        if (t != null) {
            cuda.uses(t);
        }
    }

    private KernelFunction[] functions(@Nullable Tensor residual) {
        if (residual == null) {
            return alone;
        }
        return residual.dtype() == DType.F32 ? withF32 : withBf16;
    }
}
