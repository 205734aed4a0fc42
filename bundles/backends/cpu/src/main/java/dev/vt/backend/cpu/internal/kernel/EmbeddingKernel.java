package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Embedding;

/** {@code embedding}: all ids are checked before the first row is written. */
final class EmbeddingKernel implements Embedding {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor table, Tensor ids) {
        if (!Rows.readable(out) || !Rows.readable(table)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(table)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, table, ids);
        }
        Rows from = Rows.of(table);
        Rows to = Rows.of(out);
        Ints index = new Ints(ids);
        long tokens = ids.elements();
        cpu.submit(workers -> {
            index.check("embedding", "ids", 0, tokens, 0, table.dim(0) - 1);
            workers.forRange(tokens, Work.grain(50 + to.cols()), (begin, end) -> {
                float[] scratch = new float[(int) to.cols()];
                for (long t = begin; t < end; t++) {
                    from.copy(index.get(t), 0, to.cols(), to, t, 0, scratch);
                }
            });
        });
        return Outcome.SERVED;
    }
}
