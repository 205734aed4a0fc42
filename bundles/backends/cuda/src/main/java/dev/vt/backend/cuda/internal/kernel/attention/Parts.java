package dev.vt.backend.cuda.internal.kernel.attention;

/**
 * Into how many parts the tokens of a row are cut, and the scratch memory for what the parts leave. The cut depends on what the host
 * knows alone, so a graph stays right while requests grow: each part finds its share of a request's tokens on the device.
 */
final class Parts {
    /** The most that one merge takes. */
    private static final int MOST = 128;

    /** Blocks that keep all multiprocessors of a large device busy a few times over. */
    private static final long BLOCKS = 1024;

    /** Tokens below which a part is not worth its merge. */
    private static final int LEAST_TOKENS = 64;

    private static final int ALIGNMENT = 4;

    private Parts() {}

    /**
     * Number of parts.
     *
     * @param blocks blocks of threads without a cut
     * @param tokens the most that a request may have
     */
    static int count(long blocks, long tokens) {
        long wanted = Math.ceilDiv(BLOCKS, Math.max(1, blocks));
        long most = Math.min(MOST, Math.ceilDiv(tokens, LEAST_TOKENS));
        return (int) Math.clamp(wanted, 1, Math.max(1, most));
    }

    /** Bytes of scratch memory: two numbers for each part of each head, then its values. */
    static long bytes(long rows, long heads, int parts, long dim) {
        long items = Math.multiplyExact(Math.multiplyExact(rows, heads), parts);
        long stats = Math.ceilDiv(2 * items, ALIGNMENT) * ALIGNMENT;
        return Math.multiplyExact(stats + Math.multiplyExact(items, dim), Float.BYTES);
    }
}
