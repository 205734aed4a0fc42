package dev.vt.model.tokenizer;

import java.util.Arrays;

/**
 * Pairs of tokens and the merges that they allow, in two arrays without boxes. Filled by one thread, then read by any.
 */
final class PairTable implements Merger.Rules {
    private static final long EMPTY = -1;

    private final long[] pairs;
    private final long[] merges;
    private final int mask;

    PairTable(int expected) {
        int slots = Integer.highestOneBit(Math.max(8, Math.multiplyExact(expected, 2))) * 2;
        pairs = new long[slots];
        merges = new long[slots];
        mask = slots - 1;
        Arrays.fill(pairs, EMPTY);
    }

    /** Adds a merge unless the pair has one; the first, which has the lower rank, stays. */
    void add(int left, int right, int rank, int merged) {
        long pair = pair(left, right);
        int slot = slot(pair);
        if (pairs[slot] == EMPTY) {
            pairs[slot] = pair;
            merges[slot] = Merger.Rules.merge(rank, merged);
        }
    }

    @Override
    public long find(int left, int right, int start, int end) {
        if (left < 0 || right < 0) {
            return NONE;
        }
        int slot = slot(pair(left, right));
        return pairs[slot] == EMPTY ? NONE : merges[slot];
    }

    private static long pair(int left, int right) {
        return (long) left << 32 | right;
    }

    /** Where the pair is or belongs. */
    private int slot(long pair) {
        long hash = pair * 0x9E37_79B9_7F4A_7C15L; // 2^64 divided by the golden ratio spreads neighbours
        int slot = (int) (hash >>> 32) & mask;
        while (pairs[slot] != EMPTY && pairs[slot] != pair) {
            slot = slot + 1 & mask;
        }
        return slot;
    }
}
