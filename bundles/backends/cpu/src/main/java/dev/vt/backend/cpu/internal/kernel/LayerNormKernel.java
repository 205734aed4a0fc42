package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.LayerNorm;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** {@code layer_norm}: mean first, then the squares of what differs from it, both sums in double. */
final class LayerNormKernel implements LayerNorm {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x, @Nullable Tensor weight, @Nullable Tensor bias, float eps) {
        if (!Rows.readable(out)
                || !Rows.readable(x)
                || (weight != null && !Rows.readable(weight))
                || (bias != null && !Rows.readable(bias))) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(x)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, x);
            if (weight != null) {
                cpu.uses(weight);
            }
            if (bias != null) {
                cpu.uses(bias);
            }
        }
        Rows from = Rows.of(x);
        Rows to = Rows.of(out);
        int n = (int) from.cols();
        cpu.submit(workers -> workers.forRange(from.rows(), Work.grain(50 + 3.0 * n), (begin, end) -> {
            float[] row = new float[n];
            float[] w = vector(weight, n, 1f);
            float[] b = vector(bias, n, 0f);
            for (long r = begin; r < end; r++) {
                from.read(r, row);
                normalise(row, w, b, eps);
                to.write(r, row);
            }
        }));
        return Outcome.SERVED;
    }

    private static float[] vector(@Nullable Tensor tensor, int n, float absent) {
        float[] v = new float[n];
        if (tensor == null) {
            Arrays.fill(v, absent);
        } else {
            Rows.of(tensor).read(0, v);
        }
        return v;
    }

    private static void normalise(float[] row, float[] w, float[] b, float eps) {
        int n = row.length;
        double mean = Sums.of(row, n) / n;
        double inverse = 1.0 / Math.sqrt(Sums.squares(row, n, mean) / n + eps);
        for (int i = 0; i < n; i++) {
            row[i] = (float) ((row[i] - mean) * inverse) * w[i] + b[i];
        }
    }
}
