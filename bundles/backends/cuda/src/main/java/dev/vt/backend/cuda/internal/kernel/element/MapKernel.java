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
import dev.vt.ops.kernel.UnaryScalar;

/** The ops that make each element from one element: {@code relu}, the casts, {@code mul_scalar}, {@code soft_cap}. */
final class MapKernel implements Unary, UnaryScalar {
    private final Variants variants;

    MapKernel(KernelModule module, String name) {
        variants = new Variants(module, name);
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x) {
        return run(queue, out, x, 0);
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x, double value) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.rows(x);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, x);
        }
        long n = out.elements();
        if (n > 0) {
            boolean packed = packed(out, x);
            try (Launch launch = cuda.launch(variants.of(x, out))) {
                launch.tensor(out)
                        .tensor(x)
                        .i64(n)
                        .i64(x.lastDim())
                        .i64(Operand.stride(x))
                        .f64(value)
                        .i32(packed ? 1 : 0)
                        .run(Grid.over(n, Packs.of(x, out), packed), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }

    private static boolean packed(Tensor out, Tensor x) {
        long stride = Operand.stride(x);
        return Packs.aligned(out)
                && Packs.aligned(x)
                && (stride == x.lastDim() || (Packs.whole(stride) && Packs.whole(x.lastDim())));
    }
}
