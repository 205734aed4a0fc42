package dev.vt.model.tokenizer;

import java.util.PriorityQueue;

/**
 * Merges neighbouring symbols, best pair first and leftmost among equals, until no pair can be merged: the loop that
 * both kinds of byte-pair tokenizers share. Takes time n log n for n symbols. Made for one piece of text and used by
 * one thread.
 */
final class Merger {
    private final Rules rules;
    private final int[] ids;
    private final int[] starts;
    private final int[] ends;
    private final int[] next;
    private final int[] previous;
    private final PriorityQueue<Candidate> queue = new PriorityQueue<>();

    /** Says which pairs merge. */
    interface Rules {
        /** No merge. */
        long NONE = -1;

        /**
         * The merge of two neighbours, made by {@link #merge}, or {@link #NONE}.
         *
         * @param left the left symbol's token or -1
         * @param right the right symbol's token or -1
         * @param start where the pair starts in the text
         * @param end where the pair ends
         */
        long find(int left, int right, int start, int end);

        /** A merge into token {@code id}; lower ranks go first. The rank is taken as unsigned. */
        static long merge(int rank, int id) {
            return (long) rank << 32 | id;
        }
    }

    /** A pair that could be merged when it was found; {@code end} tells whether its right symbol has grown since. */
    private record Candidate(long rank, int left, int right, int end, int id) implements Comparable<Candidate> {
        @Override
        public int compareTo(Candidate other) {
            int byRank = Long.compare(rank, other.rank);
            return byRank != 0 ? byRank : Integer.compare(left, other.left);
        }
    }

    /**
     * {@code ids} holds the token of each first symbol or -1, {@code bounds} their edges in the text, one more than
     * symbols.
     */
    Merger(Rules rules, int[] ids, int[] bounds) {
        this.rules = rules;
        this.ids = ids;
        int n = ids.length;
        starts = new int[n];
        ends = new int[n];
        next = new int[n];
        previous = new int[n];
        for (int i = 0; i < n; i++) {
            starts[i] = bounds[i];
            ends[i] = bounds[i + 1];
            next[i] = i + 1 < n ? i + 1 : -1;
            previous[i] = i - 1;
        }
    }

    /** Told the symbols that are left, in order. */
    interface Symbols {
        /** @param id the symbol's token or -1 */
        void symbol(int id, int start, int end);
    }

    void run(Symbols out) {
        for (int i = 0; i + 1 < ids.length; i++) {
            propose(i, i + 1);
        }
        for (Candidate c = queue.poll(); c != null; c = queue.poll()) {
            if (next[c.left] == c.right && ends[c.right] == c.end) {
                merge(c);
            }
        }
        for (int i = ids.length == 0 ? -1 : 0; i >= 0; i = next[i]) {
            out.symbol(ids[i], starts[i], ends[i]);
        }
    }

    private void merge(Candidate c) {
        ids[c.left] = c.id;
        ends[c.left] = c.end;
        int after = next[c.right];
        next[c.left] = after;
        next[c.right] = -1;
        if (after >= 0) {
            previous[after] = c.left;
            propose(c.left, after);
        }
        if (previous[c.left] >= 0) {
            propose(previous[c.left], c.left);
        }
    }

    private void propose(int left, int right) {
        long merge = rules.find(ids[left], ids[right], starts[left], ends[right]);
        if (merge != Rules.NONE) {
            queue.add(new Candidate(merge >>> 32, left, right, ends[right], (int) merge));
        }
    }
}
