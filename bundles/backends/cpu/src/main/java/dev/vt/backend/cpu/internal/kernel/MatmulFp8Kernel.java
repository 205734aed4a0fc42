package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.MatmulFp8;

/** {@code matmul_fp8_cutlass} and {@code matmul_fp8_cublaslt}: sums are f32. */
final class MatmulFp8Kernel implements MatmulFp8 {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b, float alpha) {
        if (!Rows.readable(out) || !Rows.readable(a) || !Rows.readable(b)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(a)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, a, b);
        }
        Rows to = Rows.of(out);
        int depth = (int) a.lastDim();
        Bytes left = Bytes.of(a);
        Bytes right = Bytes.of(b);
        cpu.submit(workers -> ScaledProduct.run(
                workers,
                to,
                i -> i,
                to.rows(),
                depth,
                (i, x) -> decode(left, i, x),
                (n, x) -> decode(right, n, x),
                (i, sum) -> sum * alpha));
        return Outcome.SERVED;
    }

    private static void decode(Bytes from, long row, float[] to) {
        for (int i = 0; i < to.length; i++) {
            to[i] = Fp8.decode(from.get(row, i));
        }
    }
}
