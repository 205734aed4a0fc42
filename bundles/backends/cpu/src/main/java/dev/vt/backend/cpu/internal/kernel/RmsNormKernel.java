package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.RmsNorm;
import org.jspecify.annotations.Nullable;

/** {@code rms_norm}; the sum of squares is made in double, so no finite row overflows it. */
final class RmsNormKernel implements RmsNorm {
    @Override
    public Outcome run(
            Queue queue, Tensor out, Tensor x, Tensor weight, @Nullable Tensor residual, float eps, boolean gemma) {
        if (!Rows.readable(out)
                || !Rows.readable(x)
                || !Rows.readable(weight)
                || (residual != null && !Rows.readable(residual))) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(x)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, x, weight);
            if (residual != null) {
                cpu.uses(residual);
            }
        }
        Rows from = Rows.of(x);
        Rows to = Rows.of(out);
        Rows sum = residual == null ? null : Rows.of(residual);
        Rows scale = Rows.of(weight);
        int n = (int) from.cols();
        cpu.submit(workers -> workers.forRange(from.rows(), Work.grain(50 + 2.0 * n), (begin, end) -> {
            float[] row = new float[n];
            float[] old = sum == null ? row : new float[n];
            float[] w = weights(scale, n, gemma);
            for (long r = begin; r < end; r++) {
                from.read(r, row);
                if (sum != null) {
                    addTo(sum, r, row, old);
                }
                normalise(row, w, eps);
                to.write(r, row);
            }
        }));
        return Outcome.SERVED;
    }

    /** The weight as factors of each row. */
    static float[] weights(Rows scale, int n, boolean gemma) {
        float[] w = new float[n];
        scale.read(0, w);
        for (int i = 0; gemma && i < n; i++) {
            w[i] += 1f;
        }
        return w;
    }

    /** sum[r] += row; the sum as it was stored comes back in {@code row}. */
    static void addTo(Rows sum, long r, float[] row, float[] old) {
        sum.read(r, old);
        for (int i = 0; i < row.length; i++) {
            row[i] += old[i];
        }
        sum.write(r, row);
        sum.read(r, row);
    }

    /** row = row / sqrt(mean(row^2) + eps) * w. */
    static void normalise(float[] row, float[] w, float eps) {
        float inverse = (float) (1.0 / Math.sqrt(Sums.squares(row, row.length, 0.0) / row.length + eps));
        for (int i = 0; i < row.length; i++) {
            row[i] = row[i] * inverse * w[i];
        }
    }
}
