package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.internal.kernel.GatedKernel.Activation;
import dev.vt.ops.kernel.RmsNormGated;

/** {@code rms_norm_gated}; the sum of squares and the activation of the gate are made in double. */
final class RmsNormGatedKernel implements RmsNormGated {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x, Tensor gate, Tensor weight, float eps, boolean sigmoid) {
        if (!Rows.readable(out) || !Rows.readable(x) || !Rows.readable(gate) || !Rows.readable(weight)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(x)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, x, gate, weight);
        }
        Rows from = Rows.of(x);
        Rows gates = Rows.of(gate);
        Rows scale = Rows.of(weight);
        Rows to = Rows.of(out);
        Activation activation = sigmoid ? GatedKernel::sigmoid : GatedKernel::silu;
        int n = (int) from.cols();
        cpu.submit(workers -> workers.forRange(from.rows(), Work.grain(50 + 20.0 * n), (begin, end) -> {
            float[] row = new float[n];
            float[] z = new float[n];
            float[] w = new float[n];
            scale.read(0, w);
            for (long r = begin; r < end; r++) {
                from.read(r, row);
                gates.read(r, z);
                apply(row, z, w, activation, eps);
                to.write(r, row);
            }
        }));
        return Outcome.SERVED;
    }

    /** row = row / sqrt(mean(row^2) + eps) * w * activation(z). */
    static void apply(float[] row, float[] z, float[] w, Activation activation, float eps) {
        double inverse = 1.0 / Math.sqrt(Sums.squares(row, row.length, 0.0) / row.length + eps);
        for (int i = 0; i < row.length; i++) {
            row[i] = (float) (row[i] * inverse) * w[i] * activation.of(z[i]);
        }
    }
}
