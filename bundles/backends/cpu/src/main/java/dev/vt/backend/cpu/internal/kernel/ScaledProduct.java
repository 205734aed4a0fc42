package dev.vt.backend.cpu.internal.kernel;

import dev.vt.backend.cpu.CpuWorkers;

/**
 * Rows of an output, each the products of one row of the left operand with all rows of the right one. A row of the right
 * operand is decoded once for a block of rows of the left. An element is one {@link Sums#dot} and so does not depend on
 * the number of rows.
 */
final class ScaledProduct {
    /** Rows of the left operand that are held as floats at once: 64 rows of 8192 elements are 2 MiB. */
    static final int BLOCK = 64;

    private ScaledProduct() {}

    /** Brings a row of an operand to floats. Threads share it. */
    @FunctionalInterface
    interface Source {
        void read(long row, float[] to);
    }

    /** What is done to a sum before it is rounded, in row {@code i} of the left operand. */
    @FunctionalInterface
    interface Finish {
        float of(long i, float sum);
    }

    /** Where row {@code i} of the left operand goes in the output. */
    @FunctionalInterface
    interface Place {
        long of(long i);
    }

    /** {@code to[place(i)] = finish(i, left[i] . right[n])} for i below {@code count}, n below {@code to.cols()}. */
    static void run(
            CpuWorkers workers, Rows to, Place place, long count, int depth, Source left, Source right, Finish finish) {
        for (long i = 0; i < count; i += BLOCK) {
            block(workers, to, place, i, (int) Math.min(BLOCK, count - i), depth, left, right, finish);
        }
    }

    private static void block(
            CpuWorkers workers,
            Rows to,
            Place place,
            long first,
            int count,
            int depth,
            Source left,
            Source right,
            Finish finish) {
        float[][] a = new float[count][depth];
        workers.forRange(count, Work.grain(2.0 * depth), (begin, end) -> {
            for (long i = begin; i < end; i++) {
                left.read(first + i, a[(int) i]);
            }
        });
        // Two nanoseconds to decode an element of the right operand, half of one for each product.
        workers.forRange(to.cols(), Work.grain((2.0 + 0.5 * count) * depth + 10.0 * count), (begin, end) -> {
            float[] w = new float[depth];
            float[] cell = new float[1];
            for (long n = begin; n < end; n++) {
                right.read(n, w);
                for (int i = 0; i < count; i++) {
                    cell[0] = finish.of(first + i, Sums.dot(a[i], 0, w, 0, depth));
                    to.write(place.of(first + i), n, 1, cell, 0);
                }
            }
        });
    }
}
