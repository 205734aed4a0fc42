package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.AttnGateSplit;

/** {@code attn_gate_split}: two copies a head. */
final class AttnGateSplitKernel implements AttnGateSplit {
    @Override
    public Outcome run(Queue queue, Tensor q, Tensor gate, Tensor qGate) {
        if (!Rows.readable(q) || !Rows.readable(gate) || !Rows.readable(qGate)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(q, gate, qGate);
        }
        long heads = q.dim(1);
        Rows from = Rows.of(qGate);
        Rows first = Rows.of(q);
        Rows second = Rows.of(gate);
        long width = first.cols();
        cpu.submit(workers -> workers.forRange(first.rows(), Work.grain(50 + 2.0 * width), (begin, end) -> {
            float[] scratch = new float[Elementwise.CHUNK];
            for (long r = begin; r < end; r++) {
                long column = r % heads * 2 * width;
                from.copy(r / heads, column, width, first, r, 0, scratch);
                from.copy(r / heads, column + width, width, second, r, 0, scratch);
            }
        }));
        return Outcome.SERVED;
    }
}
