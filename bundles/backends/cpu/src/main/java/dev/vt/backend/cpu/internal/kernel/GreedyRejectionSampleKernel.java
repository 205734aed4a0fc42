package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuWorkers;
import dev.vt.ops.kernel.GreedyRejectionSample;

/** {@code greedy_rejection_sample}: the argmax of every row on all cores, then the few compares of each request. */
final class GreedyRejectionSampleKernel implements GreedyRejectionSample {
    private static final String OP = "greedy_rejection_sample";

    @Override
    public Outcome run(Queue queue, Tensor sampled, Tensor num, Tensor logits, Tensor draft, Tensor cu) {
        if (!Rows.readable(logits)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (logits.lastDim() == 0 && logits.dim(0) != 0) {
            return Declines.NO_COLUMNS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(sampled, num, logits, draft, cu);
        }
        Rows x = Rows.of(logits);
        cpu.submit(workers -> run(workers, sampled, new Ints(num), x, new Ints(draft), new Ints(cu)));
        return Outcome.SERVED;
    }

    private static void run(CpuWorkers workers, Tensor sampled, Ints num, Rows logits, Ints draft, Ints cu) {
        int requests = Math.toIntExact(sampled.dim(0));
        long width = sampled.dim(1);
        check(cu, requests, logits.rows(), width);
        long[] best = Best.ofRows(workers, logits, 1.5, GreedyArgmaxKernel::score);
        Ints taken = new Ints(sampled);
        for (int r = 0; r < requests; r++) {
            long from = cu.get(r);
            long count = stands(best, draft, from, cu.get(r + 1L));
            num.set(r, count);
            for (long i = 0; i < width; i++) {
                taken.set(r * width + i, i < count ? best[(int) (from + i)] : -1);
            }
        }
    }

    private static void check(Ints cu, int requests, long rows, long width) {
        cu.check(OP, "cu", 0, 1, 0, rows);
        for (int r = 1; r <= requests; r++) {
            long previous = cu.get(r - 1L);
            cu.check(OP, "cu", r, r + 1L, previous, Math.min(rows, previous + width));
        }
    }

    /** How many tokens of rows from..to stand: up to the first that the next row was not computed from. */
    private static long stands(long[] best, Ints draft, long from, long to) {
        long last = from;
        while (last + 1 < to && draft.get(last + 1) == best[(int) last]) {
            last++;
        }
        return Math.min(last + 1, to) - from;
    }
}
