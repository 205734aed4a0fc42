package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.GreedyArgmax;

/** {@code greedy_argmax}. */
final class GreedyArgmaxKernel implements GreedyArgmax {
    @Override
    public Outcome run(Queue queue, Tensor tokenIds, Tensor logits) {
        if (!Rows.readable(logits)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (logits.lastDim() == 0) {
            return Declines.NO_COLUMNS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(tokenIds, logits);
        }
        Rows x = Rows.of(logits);
        Ints out = new Ints(tokenIds);
        cpu.submit(workers -> Best.ofRows(workers, x, 1.5, GreedyArgmaxKernel::score, out));
        return Outcome.SERVED;
    }

    static void score(long row, long col, int n, float[] x, Best best) {
        for (int i = 0; i < n; i++) {
            best.offer(x[i], col + i);
        }
    }
}
