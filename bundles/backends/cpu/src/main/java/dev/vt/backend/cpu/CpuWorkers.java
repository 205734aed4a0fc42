package dev.vt.backend.cpu;

/** The threads that a task may spread its work over. The queue's own thread takes part. */
public interface CpuWorkers {
    /** Number of threads that work at the same time, 1 or more. */
    int parallelism();

    /**
     * Runs {@code body} on disjoint ranges that together are 0 to {@code n}, and returns when all are done. Ranges are
     * cut at multiples of {@code grain}; where {@code n <= grain} all runs on the calling thread. Choose the grain so
     * that one range is worth a hand-over between threads, some ten microseconds of work. How the ranges are cut must
     * not change results.
     */
    void forRange(long n, long grain, RangeTask body);

    /** A part of the work. */
    @FunctionalInterface
    interface RangeTask {
        void run(long from, long to);
    }
}
