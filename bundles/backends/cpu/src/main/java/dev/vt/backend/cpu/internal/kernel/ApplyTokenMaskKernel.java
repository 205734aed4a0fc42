package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.ApplyTokenMask;

/** {@code apply_token_mask}: a store an element, too little to share between cores. */
final class ApplyTokenMaskKernel implements ApplyTokenMask {
    @Override
    public Outcome run(Queue queue, Tensor logits, Tensor rows, Tensor cols) {
        if (!Rows.readable(logits)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(logits, rows, cols);
        }
        Rows x = Rows.of(logits);
        Places places = new Places("apply_token_mask", x, rows, cols);
        cpu.submit(workers -> {
            places.check();
            places.forEach((i, row, col) -> x.set(row, col, Float.NEGATIVE_INFINITY));
        });
        return Outcome.SERVED;
    }
}
