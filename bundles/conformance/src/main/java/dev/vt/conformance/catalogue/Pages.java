package dev.vt.conformance.catalogue;

import dev.vt.conformance.spec.Draft;
import java.util.Arrays;

/**
 * The pages of a few requests, scattered over a cache that has two pages more than are in use. What no request sees is NaN, and so are
 * table entries that nothing may look at out of range. One thread.
 */
final class Pages {
    final int perRequest;
    final int blocks;
    final int[] table;
    private final int page;
    private final int[] lengths;

    Pages(Draft d, int[] lengths, int perRequest, int page) {
        this.perRequest = perRequest;
        this.page = page;
        this.lengths = lengths.clone();
        int used = Arrays.stream(lengths).map(n -> Math.ceilDiv(n, page)).sum();
        this.blocks = used + 2;
        this.table = new int[lengths.length * perRequest];
        Arrays.fill(table, -1);
        int[] order = d.shuffled(blocks);
        int next = 0;
        for (int r = 0; r < lengths.length; r++) {
            for (int b = 0; b * page < lengths[r]; b++) {
                table[r * perRequest + b] = order[next++];
            }
        }
    }

    /** The cache row of a token. */
    int slot(int request, int token) {
        return table[request * perRequest + token / page] * page + token % page;
    }

    /** Values for the rows that requests see. */
    double[] values(Draft d, int width) {
        double[] values = new double[blocks * page * width];
        Arrays.fill(values, Double.NaN);
        for (int r = 0; r < lengths.length; r++) {
            for (int j = 0; j < lengths[r]; j++) {
                int at = slot(r, j) * width;
                for (int i = 0; i < width; i++) {
                    values[at + i] = d.random().nextGaussian();
                }
            }
        }
        return values;
    }

    /** Puts a block behind the end of the cache into the table of a request. */
    void spoil(int request) {
        if (request < lengths.length && lengths[request] > 0) {
            table[request * perRequest] = blocks;
        }
    }
}
