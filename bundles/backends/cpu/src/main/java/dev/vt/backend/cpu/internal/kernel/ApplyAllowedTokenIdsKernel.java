package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.ApplyAllowedTokenIds;

/** {@code apply_allowed_token_ids}: writes only what the mask excludes. */
final class ApplyAllowedTokenIdsKernel implements ApplyAllowedTokenIds {
    @Override
    public Outcome run(Queue queue, Tensor logits, Tensor mask) {
        if (!Rows.readable(logits)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(logits, mask);
        }
        Rows x = Rows.of(logits);
        Ints excluded = new Ints(mask);
        cpu.submit(workers -> workers.forRange(
                x.rows() * x.cols(),
                Work.grain(2),
                (begin, end) -> Elementwise.pieces(x.cols(), begin, end, (row, col, n) -> {
                    for (long c = col; c < col + n; c++) {
                        if (excluded.get(row, c) != 0) {
                            x.set(row, c, Float.NEGATIVE_INFINITY);
                        }
                    }
                })));
        return Outcome.SERVED;
    }
}
