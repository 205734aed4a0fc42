package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Matmul;

/** {@code matmul}: tiles of the output, spread over the cores. */
final class MatmulKernel implements Matmul {
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
        Rows to = Rows.of(out);
        Rows left = Rows.of(a);
        Rows right = Rows.of(b);
        long across = Math.ceilDiv(to.cols(), ProductTile.COLS);
        long tiles = Math.ceilDiv(to.rows(), ProductTile.ROWS) * across;
        double nanos = ProductTile.nanos(to.rows(), to.cols(), left.cols());
        cpu.submit(workers -> workers.forRange(tiles, Work.grain(nanos), (begin, end) -> {
            for (long tile = begin; tile < end; tile++) {
                long m = tile / across * ProductTile.ROWS;
                int rows = (int) Math.min(ProductTile.ROWS, to.rows() - m);
                ProductTile.multiply(
                        to, i -> m + i, left, i -> m + i, right, rows, tile % across * ProductTile.COLS, 0);
            }
        }));
        return Outcome.SERVED;
    }
}
