package dev.vt.backend.cpu.internal.kernel;

import dev.vt.backend.cpu.CpuWorkers;

/**
 * The largest score so far and where it was: the lowest index on a tie, and a NaN counts as the largest. Scores are
 * offered in the order of their indexes, or parts of a row are merged in that order, so the result does not depend on
 * how a row was cut.
 */
final class Best {
    /** Columns looked at by one piece of work. */
    static final int PART = 8192;

    private double score = Double.NEGATIVE_INFINITY;
    private long index = -1;

    /** Scores columns col to col + n of a row and offers them. */
    @FunctionalInterface
    interface Scorer {
        void score(long row, long col, int n, float[] x, Best best);
    }

    void offer(double s, long i) {
        if (index < 0 || (!Double.isNaN(score) && !(s <= score))) {
            score = s;
            index = i;
        }
    }

    /** Writes the index of the best column of each row of x to {@code out}. */
    static void ofRows(CpuWorkers workers, Rows x, double nanosPerElement, Scorer scorer, Ints out) {
        long[] best = ofRows(workers, x, nanosPerElement, scorer);
        for (int r = 0; r < best.length; r++) {
            out.set(r, best[r]);
        }
    }

    /** The index of the best column of each row of x. */
    static long[] ofRows(CpuWorkers workers, Rows x, double nanosPerElement, Scorer scorer) {
        int parts = (int) Math.ceilDiv(x.cols(), PART);
        Best[] found = new Best[Math.toIntExact(x.rows() * parts)];
        double nanos = nanosPerElement * Math.min(PART, x.cols());
        workers.forRange(found.length, Work.grain(nanos), (begin, end) -> {
            float[] scratch = new float[(int) Math.min(PART, x.cols())];
            for (long item = begin; item < end; item++) {
                long col = item % parts * PART;
                int n = (int) Math.min(PART, x.cols() - col);
                Best best = new Best();
                x.read(item / parts, col, n, scratch, 0);
                scorer.score(item / parts, col, n, scratch, best);
                found[(int) item] = best;
            }
        });
        long[] indexes = new long[Math.toIntExact(x.rows())];
        for (int r = 0; r < indexes.length; r++) {
            Best best = found[r * parts];
            for (int p = 1; p < parts; p++) {
                best.offer(found[r * parts + p].score, found[r * parts + p].index);
            }
            indexes[r] = best.index;
        }
        return indexes;
    }
}
