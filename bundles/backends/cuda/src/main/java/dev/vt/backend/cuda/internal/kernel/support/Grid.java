package dev.vt.backend.cuda.internal.kernel.support;

/** How many blocks and threads work on something. */
public final class Grid {
    /** Threads of a block that works on elements. */
    public static final int THREADS = 256;

    /** Threads of a block that works on a row. */
    public static final int ROW_THREADS = 256;

    /** The most blocks that a grid has in its first dimension. */
    public static final long MAX = Integer.MAX_VALUE;

    /** The most blocks that a grid has in its second dimension. */
    public static final long MAX_Y = 65535;

    /** Enough to fill any device several times; each block goes on over the rest. */
    private static final long BLOCKS = 1 << 14;

    /** Here fewer blocks would be slower: each does its packs at once and ends. */
    private static final long PACK_BLOCKS = 1 << 20;

    /** Threads of the largest device. */
    private static final long MANY_PACKS = 1 << 19;

    private Grid() {}

    /** Blocks for a kernel that goes over so many elements. */
    public static long over(long elements) {
        return Math.min(BLOCKS, Math.ceilDiv(elements, THREADS));
    }

    /**
     * Blocks for a kernel that goes over so many elements in packs, where they are packed, else one by one: two packs a thread as soon
     * as there is one for each thread that a device can hold.
     */
    public static long over(long elements, int pack, boolean packed) {
        if (!packed) {
            return over(elements);
        }
        long packs = Math.max(1, elements / pack);
        return Math.min(PACK_BLOCKS, Math.ceilDiv(packs, packs > MANY_PACKS ? 2 * THREADS : THREADS));
    }
}
