package dev.vt.backend.cuda.internal.kernel.encode;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.ops.kernel.ScaleLayout;
import org.jspecify.annotations.Nullable;

/** Where the quantisations to nvfp4 write: the part of their kernels' arguments that they share. No state. */
final class Fp4Target {
    /** Elements that share a scale. */
    private static final int GROUP = 16;

    private Fp4Target() {}

    /** Null when kernels can write it, else why not. */
    static @Nullable Outcome decline(Tensor packed, Tensor scale) {
        Outcome no = Operand.dense(packed);
        return no != null ? no : Operand.dense(scale);
    }

    /** The first arguments; {@code fits} says whether the sources can be read in packs. */
    static Launch describe(
            Launch launch, Tensor packed, Tensor scale, float globalScale, ScaleLayout layout, boolean fits) {
        return launch.tensor(packed)
                .tensor(scale)
                .f32(globalScale)
                .i32(layout == ScaleLayout.SWIZZLED ? 1 : 0)
                .i64(packed.dim(0))
                .i64(2 * packed.dim(1) / GROUP)
                .i64(scale.dim(0))
                .i64(scale.dim(1))
                .i32(fits && Packs.aligned(packed) ? 1 : 0);
    }

    /** Starts the kernel: a thread for each scale. */
    static void run(Launch launch, Tensor scale) {
        launch.run(Grid.over(scale.elements()), Grid.THREADS);
    }
}
