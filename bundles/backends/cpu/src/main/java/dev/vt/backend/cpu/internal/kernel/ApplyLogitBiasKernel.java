package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.ApplyLogitBias;

/** {@code apply_logit_bias}: one after the other on the queue's thread, since two may name one element. */
final class ApplyLogitBiasKernel implements ApplyLogitBias {
    @Override
    public Outcome run(Queue queue, Tensor logits, Tensor rows, Tensor cols, Tensor bias) {
        if (!Rows.readable(logits)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(logits, rows, cols, bias);
        }
        Rows x = Rows.of(logits);
        Rows added = Rows.of(bias);
        Places places = new Places("apply_logit_bias", x, rows, cols);
        cpu.submit(workers -> {
            places.check();
            places.forEach((i, row, col) -> x.set(row, col, x.get(row, col) + added.get(0, i)));
        });
        return Outcome.SERVED;
    }
}
