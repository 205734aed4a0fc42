package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.ApplyTemperature;

/** {@code apply_temperature}. */
final class ApplyTemperatureKernel implements ApplyTemperature {
    /** Below this a row is meant to be sampled greedily, and its logits stay as they are. */
    private static final float GREEDY = 1e-5f;

    @Override
    public Outcome run(Queue queue, Tensor logits, Tensor temperature, boolean allRandom) {
        if (!Rows.readable(logits)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(logits, temperature);
        }
        Rows x = Rows.of(logits);
        Rows by = Rows.of(temperature);
        cpu.submit(workers -> workers.forRange(x.rows() * x.cols(), Work.grain(1), (begin, end) -> {
            float[] scratch = Elementwise.scratch(begin, end);
            Elementwise.pieces(x.cols(), begin, end, (row, col, n) -> {
                float t = by.get(0, row);
                float divisor = t < GREEDY && !allRandom ? 1f : t;
                x.read(row, col, n, scratch, 0);
                for (int i = 0; i < n; i++) {
                    scratch[i] /= divisor;
                }
                x.write(row, col, n, scratch, 0);
            });
        }));
        return Outcome.SERVED;
    }
}
