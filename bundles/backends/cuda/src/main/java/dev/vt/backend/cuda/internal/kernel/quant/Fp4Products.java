package dev.vt.backend.cuda.internal.kernel.quant;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import org.jspecify.annotations.Nullable;

/**
 * {@code matmul_nvfp4}, {@code matmul_nvfp4_fp4} and {@code matmul_nvfp4_cutlass}: a warp makes one row, or eight, of a column. All
 * operands are contiguous, as their checks have it. Stateless.
 */
final class Fp4Products {
    /** Rows that a warp makes of a product of more than one. */
    private static final int ROWS = 8;

    /** Columns of a block, a warp each. */
    private static final int COLUMNS = 8;

    private static final int GROUP = 16;

    private final KernelFunction[] weights = new KernelFunction[2];
    private final KernelFunction[] both = new KernelFunction[2];

    Fp4Products() {
        KernelModule source = Sources.of("fp4_product.cu");
        for (int i = 0; i < 2; i++) {
            weights[i] = source.function("nvfp4_weights_" + (i == 0 ? 1 : ROWS));
            both[i] = source.function("fp4_both_" + (i == 0 ? 1 : ROWS));
        }
    }

    Outcome weights(Queue queue, Tensor out, Tensor act, Tensor packed, Tensor scale, float scale2) {
        @Nullable Outcome no = Operand.dense(act);
        no = no != null ? no : fits(out);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, act, packed, scale);
        }
        if (out.elements() > 0) {
            try (Launch launch = cuda.launch(weights[form(out)])) {
                launch.tensor(out)
                        .i32(Operand.type(out))
                        .tensor(act)
                        .i32(Operand.type(act))
                        .tensor(packed)
                        .tensor(scale)
                        .f32(scale2)
                        .i64(out.dim(0))
                        .i64(out.dim(1))
                        .i64(act.dim(1));
                run(launch, out);
            }
        }
        return Outcome.SERVED;
    }

    /** The product of two matrices of codes. */
    Outcome both(
            Queue queue,
            Tensor out,
            Tensor a,
            Tensor aScale,
            Tensor b,
            Tensor bScale,
            boolean swizzled,
            float alpha,
            @Nullable Tensor deviceAlpha) {
        @Nullable Outcome no = Operand.dense(deviceAlpha);
        no = no != null ? no : fits(out);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, a, aScale, b, bScale);
            if (deviceAlpha != null) {
                cuda.uses(deviceAlpha);
            }
        }
        if (out.elements() > 0) {
            try (Launch launch = cuda.launch(both[form(out)])) {
                launch.tensor(out)
                        .i32(Operand.type(out))
                        .tensor(a)
                        .tensor(aScale)
                        .tensor(b)
                        .tensor(bScale)
                        .i32(swizzled ? 1 : 0)
                        .f32(alpha)
                        .optional(deviceAlpha)
                        .i64(out.dim(0))
                        .i64(out.dim(1))
                        .i64(2 * a.dim(1) / GROUP);
                run(launch, out);
            }
        }
        return Outcome.SERVED;
    }

    private static @Nullable Outcome fits(Tensor out) {
        Outcome no = Operand.dense(out);
        boolean few = Math.ceilDiv(out.dim(0), ROWS) <= Grid.MAX_Y && Math.ceilDiv(out.dim(1), COLUMNS) <= Grid.MAX;
        return no != null || few ? no : Declines.MANY_ROWS;
    }

    private static int form(Tensor out) {
        return out.dim(0) == 1 ? 0 : 1;
    }

    private static void run(Launch launch, Tensor out) {
        launch.run(Math.ceilDiv(out.dim(1), COLUMNS), Math.ceilDiv(out.dim(0), ROWS), 32 * COLUMNS);
    }
}
