package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuWorkers;
import dev.vt.ops.kernel.Matmul;

/**
 * {@code matmul_bt} and {@code matmul_bt_quant}: each row of b is read, converted or decoded once for a block of rows
 * of a. An element of the output is one {@link Sums#dot} and so does not depend on the size of the batch.
 */
final class MatmulBtKernel implements Matmul {
    /** Rows of a that are held as floats at once: 64 rows of 8192 elements are 2 MiB. */
    private static final int BLOCK = 64;

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
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
        Rows left = Rows.of(a);
        Rows right = Rows.of(b);
        Rows to = Rows.of(out);
        cpu.submit(workers -> {
            for (long m = 0; m < left.rows(); m += BLOCK) {
                multiply(workers, to, left, right, m, (int) Math.min(BLOCK, left.rows() - m));
            }
        });
        return Outcome.SERVED;
    }

    private static void multiply(CpuWorkers workers, Rows to, Rows left, Rows right, long m, int count) {
        int k = (int) left.cols();
        float[][] a = new float[count][k];
        for (int i = 0; i < count; i++) {
            left.read(m + i, a[i]);
        }
        // One or two nanoseconds to read and convert an element of b, half of one for each product.
        workers.forRange(right.rows(), Work.grain((1.0 + 0.5 * count) * k + 10.0 * count), (begin, end) -> {
            float[] w = new float[k];
            float[] cell = new float[1];
            for (long n = begin; n < end; n++) {
                right.read(n, w);
                for (int i = 0; i < count; i++) {
                    cell[0] = Sums.dot(a[i], 0, w, 0, k);
                    to.write(m + i, n, 1, cell, 0);
                }
            }
        });
    }
}
