package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;

/**
 * Ops that make each element of the output from the element of the input at its place. Output and input may be one
 * view.
 */
final class Elementwise {
    /** Elements handled at once: two arrays of this length fit the first-level cache. */
    static final int CHUNK = 2048;

    private Elementwise() {}

    /** Changes the first {@code n} elements of an array. */
    @FunctionalInterface
    interface Body {
        void apply(float[] x, int n);
    }

    /** A piece of a row: {@code n} elements, at most {@link #CHUNK}, from column {@code col} on. */
    @FunctionalInterface
    interface Piece {
        void run(long row, long col, int n);
    }

    static Outcome run(Queue queue, Tensor out, Tensor x, double nanosPerElement, Body body) {
        if (!Rows.readable(out) || !Rows.readable(x)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, x);
        }
        boolean flat = out.contiguous() && x.contiguous();
        Rows from = flat ? Rows.flat(x) : Rows.of(x);
        Rows to = flat ? Rows.flat(out) : Rows.of(out);
        cpu.submit(workers -> workers.forRange(to.rows() * to.cols(), Work.grain(nanosPerElement), (begin, end) -> {
            float[] scratch = scratch(begin, end);
            pieces(to.cols(), begin, end, (row, col, n) -> {
                from.read(row, col, n, scratch, 0);
                body.apply(scratch, n);
                to.write(row, col, n, scratch, 0);
            });
        }));
        return Outcome.SERVED;
    }

    /** An array for the pieces of a range. */
    static float[] scratch(long begin, long end) {
        return new float[(int) Math.min(CHUNK, end - begin)];
    }

    /** Cuts elements begin..end of rows of {@code cols} elements into pieces. */
    static void pieces(long cols, long begin, long end, Piece piece) {
        long at = begin;
        while (at < end) {
            long row = at / cols;
            long col = at - row * cols;
            int n = (int) Math.min(CHUNK, Math.min(cols - col, end - at));
            piece.run(row, col, n);
            at += n;
        }
    }
}
