package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.internal.kernel.ExpertSum.SharedTerm;
import dev.vt.ops.kernel.MoeCombine;
import org.jspecify.annotations.Nullable;

/** {@code moe_combine}. */
final class MoeCombineKernel implements MoeCombine {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor expertOut, Tensor weights, @Nullable Tensor shared) {
        if (!Rows.readable(out) || !Rows.readable(expertOut) || (shared != null && !Rows.readable(shared))) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, expertOut, weights);
            if (shared != null) {
                cpu.uses(shared);
            }
        }
        ExpertSum sum = new ExpertSum(out, expertOut, weights);
        SharedTerm term = shared == null ? SharedTerm.NONE : term(Rows.of(shared));
        cpu.submit(workers -> sum.run(workers, term));
        return Outcome.SERVED;
    }

    private static SharedTerm term(Rows shared) {
        return (row, col, n, to) -> shared.read(row, col, n, to, 0);
    }
}
