package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.MatmulNvfp4Fp4;
import dev.vt.ops.kernel.ScaleLayout;
import org.jspecify.annotations.Nullable;

/** {@code matmul_nvfp4_fp4} and {@code matmul_nvfp4_cutlass}: codes times block scales are exact, sums are f32. */
final class MatmulNvfp4Fp4Kernel implements MatmulNvfp4Fp4 {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor aScale, Tensor b, Tensor bScale, float alpha) {
        return run(queue, out, a, aScale, b, bScale, alpha, null, ScaleLayout.LINEAR);
    }

    /** {@code matmul_nvfp4_cutlass}. */
    static Outcome swizzled(
            Queue queue,
            Tensor out,
            Tensor a,
            Tensor aScale,
            Tensor b,
            Tensor bScale,
            float alpha,
            @Nullable Tensor deviceAlpha) {
        return run(queue, out, a, aScale, b, bScale, alpha, deviceAlpha, ScaleLayout.SWIZZLED);
    }

    private static Outcome run(
            Queue queue,
            Tensor out,
            Tensor a,
            Tensor aScale,
            Tensor b,
            Tensor bScale,
            float alpha,
            @Nullable Tensor deviceAlpha,
            ScaleLayout layout) {
        if (!Rows.readable(out) || !Rows.readable(a) || !Rows.readable(b)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!aScale.contiguous() || !bScale.contiguous()) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (a.lastDim() > Integer.MAX_VALUE / 4) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, a, aScale, b, bScale);
            if (deviceAlpha != null) {
                cpu.uses(deviceAlpha);
            }
        }
        Rows to = Rows.of(out);
        int depth = (int) (2 * a.lastDim());
        int groups = depth / Nvfp4Rows.GROUP;
        Nvfp4Rows left = new Nvfp4Rows(Bytes.of(a), Bytes.of(aScale), layout, groups);
        Nvfp4Rows right = new Nvfp4Rows(Bytes.of(b), Bytes.of(bScale), layout, groups);
        Rows given = deviceAlpha == null ? null : Rows.of(deviceAlpha);
        cpu.submit(workers -> {
            float factor = given == null ? alpha : given.get(0, 0);
            ScaledProduct.run(workers, to, i -> i, to.rows(), depth, left::read, right::read, (i, sum) -> sum * factor);
        });
        return Outcome.SERVED;
    }
}
