package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Matmul;
import java.util.Arrays;

/**
 * {@code matmul}: tiles of the output, each made by adding rows of b times elements of a. Partial sums over {@value
 * #DEPTH} steps keep the rounding error small where K is large. The order of additions depends on K alone.
 */
final class MatmulKernel implements Matmul {
    static final int TILE_ROWS = 8;
    static final int TILE_COLS = 256;
    private static final int DEPTH = 128;

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
        long tilesDown = Math.ceilDiv(to.rows(), TILE_ROWS);
        long tilesAcross = Math.ceilDiv(to.cols(), TILE_COLS);
        double tileNanos = 0.3 * Math.min(to.rows(), TILE_ROWS) * Math.min(to.cols(), TILE_COLS) * left.cols();
        cpu.submit(workers -> workers.forRange(tilesDown * tilesAcross, Work.grain(100 + tileNanos), (begin, end) -> {
            for (long tile = begin; tile < end; tile++) {
                long m = tile / tilesAcross * TILE_ROWS;
                int rows = (int) Math.min(TILE_ROWS, to.rows() - m);
                tile(to, left, right, m, rows, tile % tilesAcross * TILE_COLS, 0);
            }
        }));
        return Outcome.SERVED;
    }

    /** Makes columns from n on of rows m to m + rows, where row 0 of the right matrix is row {@code base} of its tensor. */
    static void tile(Rows to, Rows left, Rows right, long m, int rows, long n, long base) {
        int cols = (int) Math.min(TILE_COLS, to.cols() - n);
        int depth = (int) left.cols();
        float[][] a = new float[rows][depth];
        for (int i = 0; i < rows; i++) {
            left.read(m + i, a[i]);
        }
        float[][] total = new float[rows][cols];
        float[][] part = new float[rows][cols];
        float[] b = new float[cols];
        for (int k = 0; k < depth; k += DEPTH) {
            int last = Math.min(depth, k + DEPTH);
            for (int j = k; j < last; j++) {
                right.read(base + j, n, cols, b, 0);
                for (int i = 0; i < rows; i++) {
                    Sums.addScaled(part[i], b, a[i][j], cols);
                }
            }
            for (int i = 0; i < rows; i++) {
                Sums.addScaled(total[i], part[i], 1f, cols);
                Arrays.fill(part[i], 0f);
            }
        }
        for (int i = 0; i < rows; i++) {
            to.write(m + i, n, cols, total[i], 0);
        }
    }
}
