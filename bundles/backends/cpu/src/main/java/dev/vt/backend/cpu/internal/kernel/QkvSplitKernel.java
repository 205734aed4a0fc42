package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.QkvSplit;

/** {@code qkv_split}: three copies of bytes a row. */
final class QkvSplitKernel implements QkvSplit {
    @Override
    public Outcome run(Queue queue, Tensor q, Tensor k, Tensor v, Tensor qkv) {
        if (!Rows.readable(q) || !Rows.readable(k) || !Rows.readable(v) || !Rows.readable(qkv)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(q, k, v, qkv);
        }
        Rows from = Rows.of(qkv);
        Rows first = Rows.of(q);
        Rows second = Rows.of(k);
        Rows third = Rows.of(v);
        cpu.submit(workers -> workers.forRange(from.rows(), Work.grain(50 + 0.2 * from.cols()), (begin, end) -> {
            float[] scratch = new float[Elementwise.CHUNK];
            for (long r = begin; r < end; r++) {
                from.copy(r, 0, first.cols(), first, r, 0, scratch);
                from.copy(r, first.cols(), second.cols(), second, r, 0, scratch);
                from.copy(r, first.cols() + second.cols(), third.cols(), third, r, 0, scratch);
            }
        }));
        return Outcome.SERVED;
    }
}
