package dev.vt.backend.cpu.internal.kernel;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * One tile of a product with a row-major matrix, made by adding rows of the matrix times elements of the left side. Partial sums
 * over {@value #DEPTH} steps keep the rounding error small where the inner size is large. The order of additions depends on
 * that size alone.
 */
final class ProductTile {
    static final int ROWS = 8;
    static final int COLS = 256;
    private static final int DEPTH = 128;

    private ProductTile() {}

    /** What a tile costs on one core. */
    static double nanos(long rows, long cols, long depth) {
        return 100 + 0.3 * Math.min(rows, ROWS) * Math.min(cols, COLS) * depth;
    }

    /**
     * Makes {@code rows} rows, at most {@link #ROWS}, of the columns from {@code n} on, at most {@link #COLS}.
     *
     * @param toRow which row of {@code to} the i-th is
     * @param leftRow which row of {@code left} it is made from
     * @param base the row of {@code right} that is the matrix's first
     */
    static void multiply(
            Rows to,
            LongUnaryOperator toRow,
            Rows left,
            LongUnaryOperator leftRow,
            Rows right,
            int rows,
            long n,
            long base) {
        int cols = (int) Math.min(COLS, to.cols() - n);
        int depth = (int) left.cols();
        float[][] a = new float[rows][depth];
        for (int i = 0; i < rows; i++) {
            left.read(leftRow.applyAsLong(i), a[i]);
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
            to.write(toRow.applyAsLong(i), n, cols, total[i], 0);
        }
    }
}
