package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Unary;

/** {@code silu_and_mul} and {@code gelu_and_mul}: an activation of the left half of a row times its right half. */
final class GatedKernel implements Unary {
    private final Activation activation;

    GatedKernel(Activation activation) {
        this.activation = activation;
    }

    /** A function of one number, computed in double and rounded once. */
    @FunctionalInterface
    interface Activation {
        float of(float x);
    }

    static float silu(float x) {
        return (float) (x / (1.0 + Math.exp(-x)));
    }

    static float sigmoid(float x) {
        return (float) (1.0 / (1.0 + Math.exp(-x)));
    }

    /** The tanh form. */
    static float gelu(float x) {
        double inner = Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x);
        return (float) (0.5 * x * (1.0 + Math.tanh(inner)));
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x) {
        if (!Rows.readable(out) || !Rows.readable(x)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, x);
        }
        Rows from = Rows.of(x);
        Rows to = Rows.of(out);
        cpu.submit(workers -> workers.forRange(to.rows() * to.cols(), Work.grain(20), (begin, end) -> {
            float[] gate = Elementwise.scratch(begin, end);
            float[] up = Elementwise.scratch(begin, end);
            Elementwise.pieces(to.cols(), begin, end, (row, col, n) -> {
                from.read(row, col, n, gate, 0);
                from.read(row, to.cols() + col, n, up, 0);
                for (int i = 0; i < n; i++) {
                    gate[i] = activation.of(gate[i]) * up[i];
                }
                to.write(row, col, n, gate, 0);
            });
        }));
        return Outcome.SERVED;
    }
}
