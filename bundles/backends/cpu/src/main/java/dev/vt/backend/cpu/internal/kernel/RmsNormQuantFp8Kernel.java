package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.RmsNormQuantFp8;
import org.jspecify.annotations.Nullable;

/** {@code rms_norm_quant_fp8}: the arithmetic of {@link RmsNormKernel}, rounded to bf16, then quantised. */
final class RmsNormQuantFp8Kernel implements RmsNormQuantFp8 {
    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            @Nullable Tensor copy,
            Tensor x,
            Tensor weight,
            @Nullable Tensor residual,
            float eps,
            boolean gemma,
            float scale) {
        if (!Rows.readable(out) || !Rows.readable(x) || !Rows.readable(weight) || gaps(copy) || gaps(residual)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(x)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, x, weight);
            uses(cpu, copy);
            uses(cpu, residual);
        }
        Rows from = Rows.of(x);
        Bytes to = Bytes.of(out);
        Rows second = copy == null ? null : Rows.of(copy);
        Rows sum = residual == null ? null : Rows.of(residual);
        Rows factors = Rows.of(weight);
        int n = (int) from.cols();
        cpu.submit(workers -> workers.forRange(from.rows(), Work.grain(50 + 5.0 * n), (begin, end) -> {
            float[] row = new float[n];
            float[] old = sum == null ? row : new float[n];
            float[] w = RmsNormKernel.weights(factors, n, gemma);
            for (long r = begin; r < end; r++) {
                from.read(r, row);
                if (sum != null) {
                    RmsNormKernel.addTo(sum, r, row, old);
                }
                RmsNormKernel.normalise(row, w, eps);
                Rows.roundBf16(row);
                if (second != null) {
                    second.write(r, row);
                }
                QuantFp8StaticKernel.write(to, r, 0, row, n, scale);
            }
        }));
        return Outcome.SERVED;
    }

    private static boolean gaps(@Nullable Tensor t) {
        return t != null && !Rows.readable(t);
    }

    private static void uses(CpuQueue cpu, @Nullable Tensor t) {
        if (t != null) {
            cpu.uses(t);
        }
    }
}
