package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.ApplyMinP;

/**
 * {@code apply_min_p}: a probability over the largest one is exp(logit - largest logit), so no sum is needed. A row
 * whose probabilities are not defined (a NaN, a positive infinity, nothing but negative infinities) is left as it is.
 */
final class ApplyMinPKernel implements ApplyMinP {
    @Override
    public Outcome run(Queue queue, Tensor logits, Tensor minP) {
        if (!Rows.readable(logits)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(logits)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(logits, minP);
        }
        Rows x = Rows.of(logits);
        Rows bound = Rows.of(minP);
        int n = (int) x.cols();
        cpu.submit(workers -> workers.forRange(x.rows(), Work.grain(15.0 * n), (begin, end) -> {
            float[] row = new float[n];
            for (long r = begin; r < end; r++) {
                x.read(r, row);
                mask(row, bound.get(0, r));
                x.write(r, row);
            }
        }));
        return Outcome.SERVED;
    }

    private static void mask(float[] row, float bound) {
        float max = Sums.max(row, row.length);
        if (!Float.isFinite(max)) {
            return;
        }
        for (int i = 0; i < row.length; i++) {
            if (Math.exp((double) row[i] - max) < bound) {
                row[i] = Float.NEGATIVE_INFINITY;
            }
        }
    }
}
