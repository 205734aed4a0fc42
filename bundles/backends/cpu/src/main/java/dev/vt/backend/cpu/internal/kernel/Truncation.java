package dev.vt.backend.cpu.internal.kernel;

import java.util.Arrays;

/**
 * Cuts a row of logits to its k largest and then to the smallest set of mass p. Sorting a whole vocabulary would cost
 * milliseconds, so only what can be among the kept is sorted: for k, what lies in the leading bins of a histogram; for
 * p, what is more likely than a bound below which all together can't matter. Has scratch, so one thread's.
 */
final class Truncation {
    /** Bins by the upper 16 bits of a key: sign, exponent and seven bits of a float. */
    private static final int BINS = 1 << 16;

    private final int[] bins = new int[BINS];
    private final long[] ranked;
    private final float[] kept;

    Truncation(int n) {
        ranked = new long[n];
        kept = new float[n];
    }

    void apply(float[] row, long k, float p) {
        boolean byCount = k > 0 && k < row.length;
        boolean byMass = p < 1f;
        if (!byCount && !byMass) {
            return;
        }
        int n = byCount ? largest(row, (int) k) : row.length;
        if (byMass) {
            n = byCount ? ofMass(row, n, p, mass(row, n)) : ofMass(row, p);
        }
        if (n < row.length) {
            keep(row, n);
        }
    }

    /** Ranks the k largest and returns k. */
    private int largest(float[] row, int k) {
        Arrays.fill(bins, 0);
        for (float x : row) {
            bins[bin(order(x))]++;
        }
        int last = 0;
        for (int above = bins[0]; above < k; above += bins[last]) {
            last++;
        }
        int n = 0;
        for (int i = 0; i < row.length; i++) {
            int order = order(row[i]);
            if (bin(order) <= last) {
                ranked[n++] = key(order, i);
            }
        }
        Arrays.sort(ranked, 0, n);
        return k;
    }

    /** How many of all elements make up mass p; ranks them. */
    private int ofMass(float[] row, float p) {
        float max = Sums.max(row, row.length);
        if (!Float.isFinite(max)) {
            return row.length;
        }
        double total = 0;
        for (float x : row) {
            total += Math.exp((double) x - max);
        }
        // Elements below the bound add up to less than half of what may be cut off, 1 - p.
        double bound = Math.min(1.0, (1.0 - p) * total / (2.0 * row.length));
        int n = 0;
        for (int i = 0; i < row.length; i++) {
            if (Math.exp((double) row[i] - max) >= bound) {
                ranked[n++] = key(order(row[i]), i);
            }
        }
        Arrays.sort(ranked, 0, n);
        return ofMass(row, n, p, total);
    }

    /** Total mass of the n first ranked, in units of the largest. */
    private double mass(float[] row, int n) {
        float max = row[index(ranked[0])];
        double total = 0;
        for (int i = 0; i < n; i++) {
            total += Math.exp((double) row[index(ranked[i])] - max);
        }
        return total;
    }

    /** How many of the n first ranked reach mass p of the total; at least one. */
    private int ofMass(float[] row, int n, float p, double total) {
        float max = row[index(ranked[0])];
        if (!Float.isFinite(max)) {
            return n;
        }
        double sum = 0;
        for (int i = 0; i < n; i++) {
            sum += Math.exp((double) row[index(ranked[i])] - max);
            if (sum >= p * total) {
                return i + 1;
            }
        }
        return n;
    }

    private void keep(float[] row, int n) {
        for (int i = 0; i < n; i++) {
            kept[i] = row[index(ranked[i])];
        }
        Arrays.fill(row, Float.NEGATIVE_INFINITY);
        for (int i = 0; i < n; i++) {
            row[index(ranked[i])] = kept[i];
        }
    }

    /** An int that is smaller for a larger float; both zeros are equal, a NaN comes first. */
    private static int order(float x) {
        int bits = Float.floatToIntBits(x + 0f);
        return ~(bits ^ bits >> 31 & Integer.MAX_VALUE);
    }

    private static int bin(int order) {
        return (order >> 16) + BINS / 2;
    }

    private static long key(int order, int index) {
        return (long) order << 32 | index;
    }

    private static int index(long key) {
        return (int) key;
    }
}
