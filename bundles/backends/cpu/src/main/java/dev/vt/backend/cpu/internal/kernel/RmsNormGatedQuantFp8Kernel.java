package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.internal.kernel.GatedKernel.Activation;
import dev.vt.ops.kernel.RmsNormGatedQuantFp8;

/** {@code rms_norm_gated_quant_fp8}: the gated normalisation rounded to bf16, then quantised. */
final class RmsNormGatedQuantFp8Kernel implements RmsNormGatedQuantFp8 {
    @Override
    public Outcome run(
            Queue queue, Tensor out, Tensor x, Tensor gate, Tensor weight, float eps, boolean sigmoid, float scale) {
        if (!out.contiguous() || !Rows.readable(x) || !Rows.readable(gate) || !Rows.readable(weight)) {
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
        Rows second = Rows.of(gate);
        Rows factors = Rows.of(weight);
        Bytes to = Bytes.of(out);
        Activation activation = sigmoid ? GatedKernel::sigmoid : GatedKernel::silu;
        int n = (int) from.cols();
        cpu.submit(workers -> workers.forRange(from.rows(), Work.grain(50 + 25.0 * n), (begin, end) -> {
            float[] row = new float[n];
            float[] z = new float[n];
            float[] w = new float[n];
            factors.read(0, w);
            for (long r = begin; r < end; r++) {
                from.read(r, row);
                second.read(r, z);
                RmsNormGatedKernel.apply(row, z, w, activation, eps);
                Rows.roundBf16(row);
                QuantFp8StaticKernel.write(to, r, 0, row, n, scale);
            }
        }));
        return Outcome.SERVED;
    }
}
