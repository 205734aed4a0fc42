package dev.vt.provider.vector.internal;

import dev.vt.backend.cpu.CpuTask;
import dev.vt.backend.cpu.CpuWorkers;
import java.util.Arrays;

/**
 * One matrix product as a task. Threads share out the rows of the right side; each reads a panel of them as floats and multiplies
 * it with all rows of the left side. An element is one dot product, summed in one order, whatever the number of rows and threads.
 */
final class Product implements CpuTask {
    /** Rows of a panel: enough that a row of the left side, once in the nearest cache, is used often. */
    private static final int PANEL = 16;

    /** Floats of the left side that one core's second cache keeps beside a panel: 512 KiB. */
    private static final int LEFT_IN_CACHE = 128 * 1024;

    /** Floats of the left side that are held at once: 64 MiB. */
    private static final int LEFT_LIMIT = 16 << 20;

    /** What a range should take at least, in nanoseconds: a hand-over between threads costs some. */
    private static final double RANGE_NANOS = 20_000;

    private final Rows left;
    private final Panel right;
    private final Output out;
    private final int k;
    private final int stride;

    Product(Rows left, Panel right, Output out, int k) {
        this.left = left;
        this.right = right;
        this.out = out;
        this.k = k;
        this.stride = Lanes.padded(k);
    }

    @Override
    public void run(CpuWorkers workers) {
        int atOnce = Math.max(Tiles.SIDE, LEFT_LIMIT / Math.max(1, stride) & -Tiles.SIDE);
        for (long m = 0; m < left.rows(); m += atOnce) {
            multiply(workers, m, (int) Math.min(atOnce, left.rows() - m));
        }
    }

    private void multiply(CpuWorkers workers, long m, int count) {
        boolean tiled = count >= Tiles.SIDE;
        int rows = tiled ? up(count) : count;
        float[] a = new float[rows * stride];
        for (int i = 0; i < count; i++) {
            left.read(m + i, k, a, i * stride);
        }
        int step = tiled ? PANEL : Tiles.SIDE;
        // Measured: about 0.15 ns to read an element, 0.02 ns for a product in a tile, 0.05 ns in a row.
        double nanosPerRow = k * (0.15 + count * (tiled ? 0.02 : 0.05)) + 5.0 * count + 5;
        long grain = step * (long) Math.max(1, Math.ceil(RANGE_NANOS / nanosPerRow / step));
        workers.forRange(right.rows(), grain, (from, to) -> {
            float[] b = new float[step * stride];
            float[] sums = new float[Tiles.SUMS];
            for (long n = from; n < to; n += step) {
                int width = (int) Math.min(step, to - n);
                // What is left of an earlier panel would be multiplied too, in vain, and could be slow: subnormal numbers.
                Arrays.fill(b, width * stride, b.length, 0);
                right.read(n, width, b, stride);
                if (tiled) {
                    squares(a, m, count, b, n, width, sums);
                } else {
                    rows(a, m, count, b, n, width, sums);
                }
            }
        });
    }

    private void squares(float[] a, long m, int count, float[] b, long n, int width, float[] sums) {
        int block = Math.max(Tiles.SIDE, LEFT_IN_CACHE / Math.max(1, stride) & -Tiles.SIDE);
        for (int start = 0; start < count; start += block) {
            int end = Math.min(count, start + block);
            for (int j = 0; j < width; j += Tiles.SIDE) {
                for (int i = start; i < end; i += Tiles.SIDE) {
                    Tiles.square(a, i * stride, b, j * stride, stride, stride, sums);
                    store(m + i, Math.min(Tiles.SIDE, count - i), n + j, Math.min(Tiles.SIDE, width - j), sums);
                }
            }
        }
    }

    private void rows(float[] a, long m, int count, float[] b, long n, int width, float[] sums) {
        for (int i = 0; i < count; i++) {
            Tiles.row(a, i * stride, b, 0, stride, stride, sums);
            store(m + i, 1, n, width, sums);
        }
    }

    private void store(long row, int height, long col, int width, float[] sums) {
        for (int i = 0; i < height; i++) {
            for (int j = 0; j < width; j++) {
                out.set(row + i, col + j, sums[(i * Tiles.SIDE + j) * Lanes.COUNT]);
            }
        }
    }

    private static int up(int count) {
        return (count + Tiles.SIDE - 1) & -Tiles.SIDE;
    }
}
