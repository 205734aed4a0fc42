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
import dev.vt.ops.kernel.Binary;

/** {@code moe_silu_mul}: silu of one tensor times another. */
final class SiluMulKernel implements Binary {
    private final Variants variants;

    SiluMulKernel(KernelModule module) {
        variants = new Variants(module, "silu_mul");
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(a);
        no = no != null ? no : Operand.dense(b);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, a, b);
        }
        long n = out.elements();
        if (n > 0) {
            boolean packed = Packs.aligned(out) && Packs.aligned(a) && Packs.aligned(b);
            try (Launch launch = cuda.launch(variants.of(a, out))) {
                launch.tensor(out)
                        .tensor(a)
                        .tensor(b)
                        .i32(Operand.type(b))
                        .i64(n)
                        .i32(packed ? 1 : 0)
                        .run(Grid.over(n, Packs.of(a, out), packed), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
