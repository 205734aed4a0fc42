package dev.vt.backend.cuda.internal.kernel.element;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.kernel.support.Variants;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.Unary;

/** {@code silu_and_mul} and {@code gelu_and_mul}: an activation of the left half of a row times its right half. */
final class GatedKernel implements Unary {
    private final Variants variants;

    GatedKernel(KernelModule module, String name) {
        variants = new Variants(module, name);
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(x);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, x);
        }
        long n = out.elements();
        if (n > 0) {
            boolean packed = Packs.aligned(out) && Packs.aligned(x) && Packs.whole(out.lastDim());
            try (Launch launch = cuda.launch(variants.of(x, out))) {
                launch.tensor(out)
                        .tensor(x)
                        .i64(n)
                        .i64(out.lastDim())
                        .i32(packed ? 1 : 0)
                        .run(Grid.over(n, Packs.of(x, out), packed), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
