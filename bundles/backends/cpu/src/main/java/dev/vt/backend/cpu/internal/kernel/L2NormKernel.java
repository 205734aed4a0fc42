package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.L2Norm;

/** {@code l2_norm}; the sum of squares is made in double, so no finite row overflows it. */
final class L2NormKernel implements L2Norm {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x, float eps) {
        if (!Rows.readable(out) || !Rows.readable(x)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(x)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, x);
        }
        Rows from = Rows.of(x);
        Rows to = Rows.of(out);
        int n = (int) from.cols();
        cpu.submit(workers -> workers.forRange(from.rows(), Work.grain(50 + 2.0 * n), (begin, end) -> {
            float[] row = new float[n];
            for (long r = begin; r < end; r++) {
                from.read(r, row);
                double inverse = 1.0 / Math.sqrt(Sums.squares(row, n, 0.0) + eps);
                for (int i = 0; i < n; i++) {
                    row[i] = (float) (row[i] * inverse);
                }
                to.write(r, row);
            }
        }));
        return Outcome.SERVED;
    }
}
