package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.ApplyTopKTopP;
import org.jspecify.annotations.Nullable;

/**
 * {@code apply_top_k_top_p}, exact: ranks are by value, then by index, a NaN first. A k below 1 or not below V keeps
 * all; so does a p that is not below 1. A p of 0 or less keeps one. The probabilities that p is held against are those
 * of what k left. Where these are not defined (a NaN, a positive infinity, nothing but negative infinities) p keeps
 * all.
 */
final class ApplyTopKTopPKernel implements ApplyTopKTopP {
    @Override
    public Outcome run(Queue queue, Tensor logits, @Nullable Tensor k, @Nullable Tensor p) {
        if (!Rows.readable(logits)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(logits)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(logits);
            if (k != null) {
                cpu.uses(k);
            }
            if (p != null) {
                cpu.uses(p);
            }
        }
        Rows x = Rows.of(logits);
        Ints counts = k == null ? null : new Ints(k);
        Rows masses = p == null ? null : Rows.of(p);
        int n = (int) x.cols();
        cpu.submit(workers -> workers.forRange(x.rows(), Work.grain(30.0 * n), (begin, end) -> {
            Truncation truncation = new Truncation(n);
            float[] row = new float[n];
            for (long r = begin; r < end; r++) {
                x.read(r, row);
                truncation.apply(row, counts == null ? 0 : counts.get(r), masses == null ? 1f : masses.get(0, r));
                x.write(r, row);
            }
        }));
        return Outcome.SERVED;
    }
}
