package dev.vt.shell.internal;

import dev.vt.ops.Ops;
import java.util.concurrent.TimeUnit;

/**
 * Takes the time of a call in batches that are long enough for the clock, and how much of it the caller spends until the call returns.
 * What calls write in place is put back between batches, outside the time. One thread.
 */
final class Stopwatch {
    /** A batch below this is lost in the noise of clock and queue. */
    private static final long BATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final int MOST_CALLS = 1 << 20;
    /** Fewer say nothing about a median. */
    private static final int LEAST_SAMPLES = 5;

    private final BenchCase device;
    private final Ops ops;
    private final Samples samples = new Samples();
    private final Samples returns = new Samples();
    private int calls;
    private double returned;

    Stopwatch(BenchCase device, Ops ops) {
        this.device = device;
        this.ops = ops;
    }

    /** Lets the compiler do its work and finds how many calls make a batch. */
    void warmUp(long nanos) {
        calls = 1;
        long end = System.nanoTime() + nanos;
        do {
            if (batch() * calls * 1e9 < BATCH_NANOS && calls < MOST_CALLS) {
                calls *= 2;
            }
        } while (System.nanoTime() < end);
    }

    /** Takes samples for a while. */
    void sample(long nanos) {
        long end = System.nanoTime() + nanos;
        for (int taken = 0; taken < LEAST_SAMPLES || System.nanoTime() < end; taken++) {
            samples.add(batch());
            returns.add(returned);
        }
    }

    /** Seconds of one call; leaves in {@link #returned} what of it went by before the last call returned. */
    private double batch() {
        device.restore();
        long start = System.nanoTime();
        device.call(ops, calls);
        returned = (System.nanoTime() - start) / 1e9 / calls;
        device.synchronize();
        return (System.nanoTime() - start) / 1e9 / calls;
    }

    /** How many calls make a batch. */
    int calls() {
        return calls;
    }

    double median() {
        return samples.median();
    }

    /** Seconds from a call's entry to its return, whatever is still queued then. */
    double hostMedian() {
        return returns.median();
    }

    double min() {
        return samples.min();
    }

    int count() {
        return samples.count();
    }
}
