package dev.vt.provider.vector.internal;

import dev.vt.backend.cpu.CpuTask;
import dev.vt.backend.cpu.CpuWorkers;
import java.util.Arrays;

/**
 * One matrix product as a task. Threads share out the rows of the right side; each reads a panel of them as floats and
 * multiplies it with all rows of the left side. An element is one dot product, summed in one order, whatever the number
 * of rows and threads.
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
        if (tiled) {
            tiles(workers, a, m, count);
        } else {
            rows(workers, a, m, count);
        }
    }

    private void tiles(CpuWorkers workers, float[] a, long m, int count) {
        // Measured: about 0.15 ns to read an element, 0.02 ns for a product.
        double nanosPerRow = k * (0.15 + count * 0.02) + 5.0 * count;
        workers.forRange(right.rows(), grain(PANEL, nanosPerRow), (from, to) -> {
            float[] b = new float[PANEL * stride];
            float[] sums = new float[Tiles.SUMS];
            for (long n = from; n < to; n += PANEL) {
                int width = (int) Math.min(PANEL, to - n);
                fill(b, n, width);
                squares(a, m, count, b, n, width, sums);
            }
        });
    }

    private void rows(CpuWorkers workers, float[] a, long m, int count) {
        // Measured: about 0.1 ns for a product that reads its element.
        double nanosPerRow = 0.1 * k * count + 5.0 * count;
        workers.forRange(right.rows(), grain(Tiles.SIDE, nanosPerRow), (from, to) -> {
            float[] b = new float[0];
            float[] sums = new float[Tiles.SUMS];
            for (long n = from; n < to; n += Tiles.SIDE) {
                int width = (int) Math.min(Tiles.SIDE, to - n);
                if (width < Tiles.SIDE || !direct(a, m, count, n, sums)) {
                    b = b.length == 0 ? new float[Tiles.SIDE * stride] : b;
                    fill(b, n, width);
                    for (int i = 0; i < count; i++) {
                        Tiles.row(a, i * stride, b, 0, stride, stride, sums);
                        store(m + i, 1, n, width, sums);
                    }
                }
            }
        });
    }

    private boolean direct(float[] a, long m, int count, long n, float[] sums) {
        for (int i = 0; i < count; i++) {
            if (!right.dots(a, i * stride, n, sums)) {
                return false;
            }
            store(m + i, 1, n, Tiles.SIDE, sums);
        }
        return true;
    }

    private static long grain(int step, double nanosPerRow) {
        return step * (long) Math.max(1, Math.ceil(RANGE_NANOS / (nanosPerRow + 1) / step));
    }

    /** Reads a panel. What is left of an earlier one would be multiplied in vain, and slowly where it is subnormal. */
    private void fill(float[] b, long n, int width) {
        Arrays.fill(b, width * stride, b.length, 0);
        right.read(n, width, b, stride);
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

    private void store(long row, int height, long col, int width, float[] sums) {
        for (int i = 0; i < height; i++) {
            for (int j = 0; j < width; j++) {
                out.set(row + i, col + j, Tiles.total(sums, (i * Tiles.SIDE + j) * Lanes.COUNT));
            }
        }
    }

    private static int up(int count) {
        return (count + Tiles.SIDE - 1) & -Tiles.SIDE;
    }
}
