package dev.vt.shell.internal;

import dev.vt.conformance.DeviceCase;
import dev.vt.ops.Ops;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
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

    private final DeviceCase device;
    private final Ops ops;
    private int calls;
    private double[] samples = new double[64];
    private double[] returns = new double[64];
    private double returned;
    private int count;

    Stopwatch(DeviceCase device, Ops ops) {
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
            if (count == samples.length) {
                samples = Arrays.copyOf(samples, 2 * count);
                returns = Arrays.copyOf(returns, 2 * count);
            }
            samples[count] = batch();
            returns[count++] = returned;
        }
    }

    /** Seconds of one call; leaves in {@link #returned} what of it went by before the last call returned. */
    private double batch() {
        if (Thread.interrupted()) {
            throw new CancellationException("vt:bench: stopped");
        }
        device.restore();
        long start = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            device.call(ops);
        }
        returned = (System.nanoTime() - start) / 1e9 / calls;
        device.synchronize();
        return (System.nanoTime() - start) / 1e9 / calls;
    }

    double median() {
        return median(samples);
    }

    /** Seconds from a call's entry to its return, whatever is still queued then. */
    double hostMedian() {
        return median(returns);
    }

    private double median(double[] of) {
        double[] sorted = Arrays.copyOf(of, count);
        Arrays.sort(sorted);
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    }

    double min() {
        return Arrays.stream(samples, 0, count).min().orElseThrow();
    }

    int count() {
        return count;
    }
}
