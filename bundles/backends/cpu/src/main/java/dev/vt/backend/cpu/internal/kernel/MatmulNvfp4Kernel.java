package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.MatmulNvfp4;
import dev.vt.ops.kernel.ScaleLayout;

/** {@code matmul_nvfp4}: weights are brought to bf16, sums are f32. */
final class MatmulNvfp4Kernel implements MatmulNvfp4 {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor act, Tensor packed, Tensor scale, float scale2) {
        if (!Rows.readable(out) || !Rows.readable(act) || !Rows.readable(packed) || !scale.contiguous()) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(act)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, act, packed, scale);
        }
        Rows to = Rows.of(out);
        Rows left = Rows.of(act);
        int depth = (int) left.cols();
        Nvfp4Rows weights =
                new Nvfp4Rows(Bytes.of(packed), Bytes.of(scale), ScaleLayout.LINEAR, depth / Nvfp4Rows.GROUP);
        cpu.submit(workers -> ScaledProduct.run(
                workers,
                to,
                i -> i,
                to.rows(),
                depth,
                left::read,
                (n, w) -> weights.readBf16(n, scale2, w),
                (i, sum) -> sum));
        return Outcome.SERVED;
    }
}
