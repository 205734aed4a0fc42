package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.MulColVecF32;

/** {@code mul_col_vec_f32}. */
final class MulColVecKernel implements MulColVecF32 {
    @Override
    public Outcome run(Queue queue, Tensor x, Tensor col) {
        if (!Rows.readable(x) || !Rows.readable(col)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(x, col);
        }
        Rows rows = Rows.of(x);
        Rows factors = Rows.of(col);
        cpu.submit(workers -> workers.forRange(rows.rows() * rows.cols(), Work.grain(1), (begin, end) -> {
            float[] values = Elementwise.scratch(begin, end);
            float[] by = Elementwise.scratch(begin, end);
            Elementwise.pieces(rows.cols(), begin, end, (row, at, n) -> {
                rows.read(row, at, n, values, 0);
                factors.read(0, at, n, by, 0);
                for (int i = 0; i < n; i++) {
                    values[i] *= by[i];
                }
                rows.write(row, at, n, values, 0);
            });
        }));
        return Outcome.SERVED;
    }
}
