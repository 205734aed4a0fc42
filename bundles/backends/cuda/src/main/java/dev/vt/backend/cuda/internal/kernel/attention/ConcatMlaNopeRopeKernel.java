package dev.vt.backend.cuda.internal.kernel.attention;

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
import dev.vt.ops.kernel.ConcatMlaNopeRope;

/** {@code concat_mla_nope_rope}: copies of elements, or of 16 bytes. */
final class ConcatMlaNopeRopeKernel implements ConcatMlaNopeRope {
    private static final int WIDE = 16;

    private final KernelFunction two;
    private final KernelFunction four;
    private final KernelFunction wide;

    ConcatMlaNopeRopeKernel(KernelModule module) {
        two = module.function("concat_2");
        four = module.function("concat_4");
        wide = module.function("concat_" + WIDE);
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor nope, Tensor rope) {
        Outcome no = Operand.aligned(out);
        no = no != null ? no : Operand.aligned(nope);
        no = no != null ? no : Operand.aligned(rope);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, nope, rope);
        }
        if (out.elements() > 0) {
            long size = out.dtype().blockBytes();
            boolean whole = whole(out) && whole(nope) && whole(rope);
            long per = whole ? WIDE / size : 1;
            KernelFunction plain = out.dtype() == DType.F32 ? four : two;
            try (Launch launch = cuda.launch(whole ? wide : plain)) {
                launch.tensor(out)
                        .tensor(nope)
                        .tensor(rope)
                        .i64(out.elements() / per)
                        .i32((int) out.dim(1))
                        .i32((int) (nope.dim(2) / per))
                        .i32((int) (rope.dim(2) / per));
                strides(launch, out, per);
                strides(launch, nope, per);
                strides(launch, rope, per).run(Grid.over(out.elements() / per), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }

    /** True when all rows are a number of 16 bytes at multiples of 16 bytes. */
    private static boolean whole(Tensor t) {
        return Operand.at16(t, t.dim(2)) && Operand.at16(t, step(t, 0)) && Operand.at16(t, step(t, 1));
    }

    private static Launch strides(Launch launch, Tensor t, long per) {
        return launch.i64(step(t, 0) / per).i64(step(t, 1) / per);
    }

    /** The stride of a dimension; 0 where there is one index, which also lets one head serve all. */
    private static long step(Tensor t, int dim) {
        return t.dim(dim) < 2 ? 0 : t.stride(dim);
    }
}
