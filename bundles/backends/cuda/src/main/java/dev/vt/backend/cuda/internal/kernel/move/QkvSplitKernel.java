package dev.vt.backend.cuda.internal.kernel.move;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.QkvSplit;

/** {@code qkv_split}: copies of elements. */
final class QkvSplitKernel implements QkvSplit {
    private final KernelFunction two;
    private final KernelFunction four;

    QkvSplitKernel(KernelModule module) {
        two = module.function("qkv_split_2");
        four = module.function("qkv_split_4");
    }

    @Override
    public Outcome run(Queue queue, Tensor q, Tensor k, Tensor v, Tensor qkv) {
        Outcome no = Operand.dense(qkv);
        no = no != null ? no : Operand.dense(q);
        no = no != null ? no : Operand.dense(k);
        no = no != null ? no : Operand.dense(v);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(q, k, v, qkv);
        }
        long n = qkv.elements();
        if (n > 0) {
            try (Launch launch = cuda.launch(qkv.dtype() == DType.F32 ? four : two)) {
                launch.tensor(q)
                        .tensor(k)
                        .tensor(v)
                        .tensor(qkv)
                        .i64(n)
                        .i64(q.dim(1))
                        .i64(k.dim(1))
                        .i64(v.dim(1))
                        .run(Grid.over(n), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
