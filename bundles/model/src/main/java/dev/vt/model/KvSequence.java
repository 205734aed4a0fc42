package dev.vt.model;

import org.jspecify.annotations.Nullable;

/**
 * One sequence's part of the cache: how many tokens it holds and in which blocks they lie, and which of the states of
 * linear attention is its own. Whoever made it closes it, which gives all back; closing may be repeated. One thread at a
 * time.
 */
final class KvSequence implements AutoCloseable {
    private final KvCache cache;
    private final int[] blocks;
    private final @Nullable DeltaStates states;
    private int blockCount;
    private int length;
    private int state = -1;

    /** An empty sequence that may grow to {@code limit} tokens. */
    KvSequence(KvCache cache, int limit) {
        this(cache, null, limit);
    }

    /** As {@link #KvSequence(KvCache, int)}, with a state, where the model has states. */
    KvSequence(KvCache cache, @Nullable DeltaStates states, int limit) {
        this.cache = cache;
        this.states = states;
        this.blocks = new int[KvCache.blocksFor(limit)];
    }

    /** Tokens that have a place, those of the step under way included. */
    int length() {
        return length;
    }

    /** Which of the states is its own; -1 before the first token, and where the model has no states. */
    int state() {
        return state;
    }

    int blockCount() {
        return blockCount;
    }

    int block(int i) {
        return blocks[i];
    }

    /** Makes room for further tokens. */
    void append(int tokens) {
        int needed = KvCache.blocksFor(length + tokens);
        if (needed > blockCount) {
            cache.take(needed - blockCount, blocks, blockCount);
            blockCount = needed;
        }
        if (states != null && state < 0) {
            state = states.take();
        }
        length += tokens;
    }

    /** Where the cache keeps the token of a position. */
    long slot(int position) {
        return (long) blocks[position / KvCache.BLOCK_SIZE] * KvCache.BLOCK_SIZE + position % KvCache.BLOCK_SIZE;
    }

    @Override
    public void close() {
        while (blockCount > 0) {
            cache.giveBack(blocks[--blockCount]);
        }
        if (states != null && state >= 0) {
            states.giveBack(state);
            state = -1;
        }
        length = 0;
    }
}
