package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Binary;

/** {@code shared_expert_gate}. */
final class SharedExpertGateKernel implements Binary {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
        if (!Rows.readable(out) || !Rows.readable(a) || !Rows.readable(b)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, a, b);
        }
        Rows to = Rows.of(out);
        Rows shared = Rows.of(a);
        Rows gates = Rows.flat(b);
        cpu.submit(workers -> workers.forRange(to.rows() * to.cols(), Work.grain(2), (begin, end) -> {
            float[] x = Elementwise.scratch(begin, end);
            Elementwise.pieces(to.cols(), begin, end, (row, col, n) -> {
                shared.read(row, col, n, x, 0);
                scale(x, n, gates.get(0, row));
                to.write(row, col, n, x, 0);
            });
        }));
        return Outcome.SERVED;
    }

    /** x times the sigmoid of the gate, one rounding. */
    static void scale(float[] x, int n, float gate) {
        double factor = 1.0 / (1.0 + Math.exp(-gate));
        for (int i = 0; i < n; i++) {
            x[i] = (float) (x[i] * factor);
        }
    }
}
