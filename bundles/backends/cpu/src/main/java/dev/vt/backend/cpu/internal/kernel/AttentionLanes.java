package dev.vt.backend.cpu.internal.kernel;

import java.util.Arrays;

/**
 * Attention of a few query rows over the same key and value rows, which are read once for all. Each lane is one query row; it
 * sees the first {@code seen} of the keys. What a lane becomes does not depend on the other lanes. Has scratch, so one
 * thread's.
 */
final class AttentionLanes {
    /** Reads key or value row {@code j}. */
    @FunctionalInterface
    interface Reader {
        void read(int j, float[] to);
    }

    private final float[][] queries;
    private final float[][] scores;
    private final float[][] sums;
    private final double[] lse;
    private final int[] seen;
    private final float[] key;
    private final float[] value;

    /** Scratch for so many lanes, key and value elements, and keys at most. */
    AttentionLanes(int lanes, int keyWidth, int valueWidth, int longest) {
        this.queries = new float[lanes][keyWidth];
        this.scores = new float[lanes][longest];
        this.sums = new float[lanes][valueWidth];
        this.lse = new double[lanes];
        this.seen = new int[lanes];
        this.key = new float[keyWidth];
        this.value = new float[valueWidth];
    }

    /** Sets a lane's query row and the number of keys that it sees. */
    void lane(int lane, Rows query, long row, int keys) {
        query.read(row, queries[lane]);
        seen[lane] = keys;
    }

    /** Works out the first {@code lanes} lanes. */
    void run(int lanes, Reader keys, Reader values, float scale) {
        int most = 0;
        for (int i = 0; i < lanes; i++) {
            most = Math.max(most, seen[i]);
            Arrays.fill(sums[i], 0f);
        }
        for (int j = 0; j < most; j++) {
            keys.read(j, key);
            for (int i = 0; i < lanes; i++) {
                if (j < seen[i]) {
                    scores[i][j] = scale * Sums.dot(queries[i], 0, key, 0, key.length);
                }
            }
        }
        for (int i = 0; i < lanes; i++) {
            lse[i] = softmax(scores[i], seen[i]);
        }
        for (int j = 0; j < most; j++) {
            values.read(j, value);
            for (int i = 0; i < lanes; i++) {
                if (j < seen[i]) {
                    Sums.addScaled(sums[i], value, scores[i][j], value.length);
                }
            }
        }
    }

    /** Turns scores into weights that sum to 1; gives the logarithm of their sum before. */
    private static double softmax(float[] s, int n) {
        float max = Sums.max(s, n);
        for (int i = 0; i < n; i++) {
            s[i] = (float) Math.exp((double) s[i] - max);
        }
        double sum = Sums.of(s, n);
        float inverse = (float) (1.0 / sum);
        for (int i = 0; i < n; i++) {
            s[i] *= inverse;
        }
        return n == 0 ? Double.NEGATIVE_INFINITY : max + Math.log(sum);
    }

    /** The result of a lane; zeros if it saw nothing. */
    float[] result(int lane) {
        return sums[lane];
    }

    /** The logarithm of a lane's sum of exp(score); negative infinity if it saw nothing. */
    float lse(int lane) {
        return (float) lse[lane];
    }
}
