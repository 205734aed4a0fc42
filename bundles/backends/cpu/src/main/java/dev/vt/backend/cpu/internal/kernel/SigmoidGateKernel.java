package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Binary;

/** {@code sigmoid_gate_bf16}: the gate and the product are made in double, then rounded to f32 and to bf16. */
final class SigmoidGateKernel implements Binary {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
        if (!Rows.readable(out) || !Rows.readable(a) || !Rows.readable(b)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, a, b);
        }
        boolean flat = out.contiguous() && a.contiguous() && b.contiguous();
        Rows to = flat ? Rows.flat(out) : Rows.of(out);
        Rows attn = flat ? Rows.flat(a) : Rows.of(a);
        Rows gate = flat ? Rows.flat(b) : Rows.of(b);
        cpu.submit(workers -> workers.forRange(to.rows() * to.cols(), Work.grain(20), (begin, end) -> {
            float[] x = Elementwise.scratch(begin, end);
            float[] y = Elementwise.scratch(begin, end);
            Elementwise.pieces(to.cols(), begin, end, (row, col, n) -> {
                attn.read(row, col, n, x, 0);
                gate.read(row, col, n, y, 0);
                for (int i = 0; i < n; i++) {
                    x[i] = gated(x[i], y[i]);
                }
                to.write(row, col, n, x, 0);
            });
        }));
        return Outcome.SERVED;
    }

    /** x * sigmoid(gate), in double, rounded once. */
    static float gated(float x, float gate) {
        return (float) (x / (1.0 + Math.exp(-gate)));
    }
}
