package dev.vt.backend.cuda.internal.kernel.encode;

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
import dev.vt.ops.kernel.Unary;

/** {@code swizzle_blockscale}: a thread writes 16 bytes of a tile. */
final class SwizzleBlockscaleKernel implements Unary {
    private static final int BYTES = 16;

    private final KernelFunction function;

    SwizzleBlockscaleKernel(KernelModule module) {
        function = module.function("swizzle_blockscale");
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
        long n = out.elements() / BYTES;
        if (n > 0) {
            try (Launch launch = cuda.launch(function)) {
                launch.tensor(out)
                        .tensor(x)
                        .i64(x.dim(0))
                        .i64(x.dim(1))
                        .i64(out.dim(1))
                        .i64(n)
                        .i32(Packs.aligned(out) ? 1 : 0)
                        .run(Grid.over(n), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
