package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Binary;

/** {@code moe_silu_mul}. */
final class MoeSiluMulKernel implements Binary {
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
        Rows gates = Rows.of(a);
        Rows ups = Rows.of(b);
        cpu.submit(workers -> workers.forRange(to.rows() * to.cols(), Work.grain(20), (begin, end) -> {
            float[] gate = Elementwise.scratch(begin, end);
            float[] up = Elementwise.scratch(begin, end);
            Elementwise.pieces(to.cols(), begin, end, (row, col, n) -> {
                gates.read(row, col, n, gate, 0);
                ups.read(row, col, n, up, 0);
                for (int i = 0; i < n; i++) {
                    gate[i] = GatedKernel.silu(gate[i]) * up[i];
                }
                to.write(row, col, n, gate, 0);
            });
        }));
        return Outcome.SERVED;
    }
}
