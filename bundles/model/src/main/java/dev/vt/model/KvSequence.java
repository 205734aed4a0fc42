package dev.vt.model;

/**
 * One sequence's part of the cache: how many tokens it holds and in which blocks they lie. Whoever made it closes it,
 * which gives the blocks back; closing may be repeated. One thread at a time.
 */
final class KvSequence implements AutoCloseable {
    private final KvCache cache;
    private final int[] blocks;
    private int blockCount;
    private int length;

    /** An empty sequence that may grow to {@code limit} tokens. */
    KvSequence(KvCache cache, int limit) {
        this.cache = cache;
        this.blocks = new int[KvCache.blocksFor(limit)];
    }

    /** Tokens that have a place, those of the step under way included. */
    int length() {
        return length;
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
        length = 0;
    }
}
