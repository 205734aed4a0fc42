package dev.vt.backend.cpu.internal;

import dev.vt.backend.cpu.CpuWorkers.RangeTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One call of forRange: the ranges that are still to be given out, and what went wrong. Any number of threads work on
 * it; each range is given out once. The caller of forRange owns it.
 */
final class Ranges {
    /** More ranges than threads, so that a thread that the system takes away for a while does not hold up the rest. */
    private static final int RANGES_PER_THREAD = 4;

    private final RangeTask body;
    private final long n;
    private final long step;
    private final int count;
    private final AtomicInteger next = new AtomicInteger();
    private final Fence finished;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Ranges(RangeTask body, long n, long grain, int threads) {
        this.body = body;
        this.n = n;
        long grains = (n - 1) / grain + 1;
        long grainsPerRange = (grains - 1) / ((long) threads * RANGES_PER_THREAD) + 1;
        this.step = grainsPerRange * grain;
        this.count = (int) ((grains - 1) / grainsPerRange + 1);
        this.finished = Fence.of(count);
    }

    int count() {
        return count;
    }

    /** Works on ranges until none is left to give out. */
    void work() {
        for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
            try {
                if (failure.get() == null) {
                    long from = i * step;
                    body.run(from, Math.min(n - from, step) + from);
                }
            } catch (Throwable e) {
                // Kept for the caller whatever it is: the other threads are still at work on the same task.
                failure.compareAndSet(null, e);
            } finally {
                finished.arrive();
            }
        }
    }

    void awaitDone() {
        finished.await();
    }

    void rethrow() {
        switch (failure.get()) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException("a range threw a checked exception", e);
        }
    }
}
