package dev.vt.backend.cuda.internal.kernel.element;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.MulColVecF32;

/** {@code mul_col_vec_f32}: in place, each element by itself. */
final class MulColVecKernel implements MulColVecF32 {
    private final KernelFunction function;

    MulColVecKernel(KernelModule module) {
        function = module.function("mul_col_vec");
    }

    @Override
    public Outcome run(Queue queue, Tensor x, Tensor col) {
        Outcome no = Operand.dense(x);
        no = no != null ? no : Operand.dense(col);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(x, col);
        }
        long n = x.elements();
        if (n > 0) {
            boolean packed = Packs.aligned(x) && Packs.aligned(col) && Packs.whole(x.lastDim());
            try (Launch launch = cuda.launch(function)) {
                launch.tensor(x)
                        .tensor(col)
                        .i64(n)
                        .i64(x.lastDim())
                        .i32(packed ? 1 : 0)
                        .run(Grid.over(n, Packs.of(x, x), packed), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
