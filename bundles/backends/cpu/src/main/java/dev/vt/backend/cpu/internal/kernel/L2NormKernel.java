package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.L2Norm;

/** {@code l2_norm}, by the arithmetic that {@code gdn_post_conv} shares. */
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
                Gates.unit(row, eps);
                to.write(r, row);
            }
        }));
        return Outcome.SERVED;
    }
}
