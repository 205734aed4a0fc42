package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.AttentionParams;
import java.util.Arrays;

/**
 * Attention of the query heads that share one key/value head, one query row at a time. Has scratch, so one thread's.
 */
final class AttentionGroup {
    private final Rows out;
    private final Rows query;
    private final Rows keys;
    private final Rows values;
    private final AttentionRequests requests;
    private final AttentionParams params;
    private final long queryHeads;
    private final long keyHeads;
    private final float[][] q;
    private final float[][] scores;
    private final float[][] sums;
    private final float[] row;

    AttentionGroup(
            Tensor out,
            Tensor query,
            Tensor kCache,
            Tensor vCache,
            AttentionRequests requests,
            AttentionParams params) {
        this.out = Rows.of(out);
        this.query = Rows.of(query);
        this.keys = Rows.of(kCache);
        this.values = Rows.of(vCache);
        this.requests = requests;
        this.params = params;
        this.queryHeads = query.dim(1);
        this.keyHeads = kCache.dim(2);
        int group = keyHeads == 0 ? 0 : (int) (queryHeads / keyHeads);
        int dim = (int) query.dim(2);
        this.q = new float[group][dim];
        this.scores = new float[group][requests.longest()];
        this.sums = new float[group][dim];
        this.row = new float[dim];
    }

    /** Writes the output of one query row for the group of one key/value head. */
    void run(long token, long keyHead) {
        int request = requests.owner(token);
        if (request < 0) {
            return;
        }
        int from = requests.from(request, token);
        int to = requests.to(request, token);
        long first = token * queryHeads + keyHead * q.length;
        for (int g = 0; g < q.length; g++) {
            query.read(first + g, q[g]);
            Arrays.fill(sums[g], 0f);
        }
        if (from < to) {
            score(request, keyHead, from, to);
            for (float[] s : scores) {
                softmax(s, to - from);
            }
            weigh(request, keyHead, from, to);
        }
        for (int g = 0; g < q.length; g++) {
            out.write(first + g, sums[g]);
        }
    }

    private void score(int request, long keyHead, int from, int to) {
        float cap = params.softCap();
        for (int j = from; j < to; j++) {
            keys.read(requests.slot(request, j) * keyHeads + keyHead, row);
            for (int g = 0; g < q.length; g++) {
                float s = params.scale() * Sums.dot(q[g], 0, row, 0, row.length);
                scores[g][j - from] = cap == 0f ? s : Maps.softCap(s, cap);
            }
        }
    }

    /** Turns scores into weights that sum to 1. */
    private static void softmax(float[] s, int n) {
        float max = Sums.max(s, n);
        for (int i = 0; i < n; i++) {
            s[i] = (float) Math.exp(s[i] - max);
        }
        float inverse = (float) (1.0 / Sums.of(s, n));
        for (int i = 0; i < n; i++) {
            s[i] *= inverse;
        }
    }

    private void weigh(int request, long keyHead, int from, int to) {
        for (int j = from; j < to; j++) {
            values.read(requests.slot(request, j) * keyHeads + keyHead, row);
            for (int g = 0; g < q.length; g++) {
                Sums.addScaled(sums[g], row, scores[g][j - from], row.length);
            }
        }
    }
}
