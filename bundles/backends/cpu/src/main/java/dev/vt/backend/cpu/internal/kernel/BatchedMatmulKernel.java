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
        long tilesDown = Math.ceilDiv(down, MatmulKernel.TILE_ROWS);
        long tilesAcross = Math.ceilDiv(to.cols(), MatmulKernel.TILE_COLS);
        long tiles = tilesDown * tilesAcross;
        double nanos =
                0.3 * Math.min(down, MatmulKernel.TILE_ROWS) * Math.min(to.cols(), MatmulKernel.TILE_COLS) * depth;
        cpu.submit(workers -> workers.forRange(out.dim(0) * tiles, Work.grain(100 + nanos), (begin, end) -> {
            for (long item = begin; item < end; item++) {
                long g = item / tiles;
                long tile = item % tiles;
                long m = tile / tilesAcross * MatmulKernel.TILE_ROWS;
                int rows = (int) Math.min(MatmulKernel.TILE_ROWS, down - m);
                long n = tile % tilesAcross * MatmulKernel.TILE_COLS;
                MatmulKernel.tile(to, left, right, g * down + m, rows, n, g * depth);
            }
        }));
        return Outcome.SERVED;
    }
}
