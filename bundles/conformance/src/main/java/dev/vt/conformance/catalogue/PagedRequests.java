package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Operand;
import java.util.Arrays;

/**
 * Requests over a paged cache: who owns which query rows, how many tokens each has seen, where its blocks lie. Blocks are in no order;
 * one belongs to nobody, is full of NaN, and stands in every place of the table that is not needed. Immutable once made.
 *
 * @param lengths tokens of each request
 * @param starts first query row of each request, and the end of the last
 * @param table block ids, {@code width} a request
 * @param width blocks that the longest request needs, and one more
 * @param blocks blocks of the cache
 * @param size tokens of a block
 */
record PagedRequests(int[] lengths, int[] starts, int[] table, int width, int blocks, int size) {
    /** How many query rows a request brings, and how many tokens came before. */
    interface Kind {
        int rows(int request);

        int before(int request);
    }

    static PagedRequests make(Draft d, int requests, int size, Kind kind) {
        int[] lengths = new int[requests];
        int[] starts = new int[requests + 1];
        int blocks = 1;
        int width = 1;
        for (int r = 0; r < requests; r++) {
            starts[r + 1] = starts[r] + kind.rows(r);
            lengths[r] = kind.rows(r) + kind.before(r);
            int needed = Math.ceilDiv(lengths[r], size);
            blocks += needed;
            width = Math.max(width, needed + 1);
        }
        int[] order = d.shuffled(blocks);
        int[] table = new int[requests * width];
        int used = 1;
        for (int i = 0; i < table.length; i++) {
            boolean needed = (long) i % width * size < lengths[i / width];
            table[i] = needed ? order[used++] : order[0];
        }
        return new PagedRequests(lengths, starts, table, width, blocks, size);
    }

    int requests() {
        return lengths.length;
    }

    int longest() {
        return Arrays.stream(lengths).max().orElse(0);
    }

    /** Query rows that belong to a request. */
    int rows() {
        return starts[starts.length - 1];
    }

    /** The cache slot of a request's token. */
    int slot(int request, int token) {
        return table[request * width + token / size] * size + token % size;
    }

    /** A cache with values where tokens are, and NaN everywhere else: what was there before may be anything. */
    Operand cache(Draft d, String name, DType dtype, int heads, int dim) {
        double[] values = new double[blocks * size * heads * dim];
        Arrays.fill(values, Double.NaN);
        for (int r = 0; r < requests(); r++) {
            for (int token = 0; token < lengths[r]; token++) {
                int at = slot(r, token) * heads * dim;
                for (int i = at; i < at + heads * dim; i++) {
                    values[i] = d.random().nextGaussian();
                }
            }
        }
        return d.of(name, dtype, values, blocks, size, heads, dim).mayPad();
    }
}
