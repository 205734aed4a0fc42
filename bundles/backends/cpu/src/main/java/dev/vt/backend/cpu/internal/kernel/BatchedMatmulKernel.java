package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Matmul;

/** {@code batched_matmul}: the tiles of {@link MatmulKernel}, for each pair of matrices. */
final class BatchedMatmulKernel implements Matmul {
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
        long down = out.dim(1);
        long depth = left.cols();
        long tilesDown = Math.ceilDiv(down, ProductTile.ROWS);
        long tilesAcross = Math.ceilDiv(to.cols(), ProductTile.COLS);
        long tiles = tilesDown * tilesAcross;
        double nanos = ProductTile.nanos(down, to.cols(), depth);
        cpu.submit(workers -> workers.forRange(out.dim(0) * tiles, Work.grain(nanos), (begin, end) -> {
            for (long item = begin; item < end; item++) {
                long g = item / tiles;
                long tile = item % tiles;
                long m = tile / tilesAcross * ProductTile.ROWS;
                int rows = (int) Math.min(ProductTile.ROWS, down - m);
                long n = tile % tilesAcross * ProductTile.COLS;
                ProductTile.multiply(to, i -> g * down + m + i, left, i -> g * down + m + i, right, rows, n, g * depth);
            }
        }));
        return Outcome.SERVED;
    }
}
