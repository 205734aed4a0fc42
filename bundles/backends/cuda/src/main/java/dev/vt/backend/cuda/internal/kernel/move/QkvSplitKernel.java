package dev.vt.backend.cuda.internal.kernel.move;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.QkvSplit;

/** {@code qkv_split}: copies of elements, or of 16 bytes at once. */
final class QkvSplitKernel implements QkvSplit {
    private final KernelFunction two;
    private final KernelFunction four;
    private final KernelFunction sixteen;

    QkvSplitKernel(KernelModule module) {
        two = module.function("qkv_split_2");
        four = module.function("qkv_split_4");
        sixteen = module.function("qkv_split_16");
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
        if (qkv.elements() > 0) {
            launch(cuda, q, k, v, qkv);
        }
        return Outcome.SERVED;
    }

    private void launch(LaunchQueue cuda, Tensor q, Tensor k, Tensor v, Tensor qkv) {
        boolean packed = packed(q) && packed(k) && packed(v) && Packs.aligned(qkv);
        int unit = packed ? Packs.of(qkv, qkv) : 1;
        long n = qkv.elements() / unit;
        try (Launch launch = cuda.launch(packed ? sixteen : qkv.dtype() == DType.F32 ? four : two)) {
            launch.tensor(q)
                    .tensor(k)
                    .tensor(v)
                    .tensor(qkv)
                    .i64(n)
                    .i64(q.dim(1) / unit)
                    .i64(k.dim(1) / unit)
                    .i64(v.dim(1) / unit)
                    .run(Grid.over(n), Grid.THREADS);
        }
    }

    private static boolean packed(Tensor t) {
        return Packs.aligned(t) && Packs.whole(t.dim(1));
    }
}
