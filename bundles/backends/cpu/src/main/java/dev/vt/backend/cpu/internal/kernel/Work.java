package dev.vt.backend.cpu.internal.kernel;

/** How much work is worth a hand-over to another thread. */
final class Work {
    /** Below about this much the hand-over costs more than it saves. */
    private static final double RANGE_NANOS = 20_000;

    private Work() {}

    /**
     * How many items make a range, from what one costs in nanoseconds on one core; a guess within a factor of three
     * does.
     */
    static long grain(double nanosPerItem) {
        return Math.max(1, (long) (RANGE_NANOS / Math.max(nanosPerItem, 0.01)));
    }
}
