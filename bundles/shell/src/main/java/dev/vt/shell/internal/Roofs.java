package dev.vt.shell.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.conformance.spec.TestCase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;

/**
 * What a device can do at most, measured simply: bytes read and written by a copy in its memory, and, on the CPU, fused
 * multiply-adds of all cores on data in the caches. Real kernels come close to the first; the second is what Java's
 * compiler makes of a plain loop, so a kernel written with vectors may beat it.
 *
 * @param copyBytesPerSecond bytes read and bytes written, together
 * @param flopsPerSecond a fused multiply-add counts as two; 0 where it was not measured
 */
record Roofs(double copyBytesPerSecond, double flopsPerSecond) {
    /** Larger than the caches of most machines. */
    private static final long COPY_BYTES = 64L << 20;

    /** Copies between two waits: waiting for a device takes as long as it needs for many megabytes. */
    private static final int COPIES = 16;

    /**
     * A roof is found when this long nothing was better: the compiler takes its time, longer on a machine with other
     * work.
     */
    private static final long SETTLED_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int ELEMENTS = 1024;
    /** Dependent steps for each element that is loaded, so that loads are not the limit. */
    private static final int FLOPS_PER_ELEMENT = 16;

    private static final int PASSES = 500;

    static Roofs measure(Backend backend) {
        return new Roofs(copy(backend), backend.device().type().equals(DeviceType.CPU) ? flops() : 0);
    }

    private static double copy(Backend backend) {
        try (Queue queue = backend.createQueue();
                Memory from = backend.allocate(COPY_BYTES);
                Memory to = backend.allocate(COPY_BYTES)) {
            backend.memset(queue, from, 0, (byte) 1, COPY_BYTES);
            backend.memset(queue, to, 0, (byte) 0, COPY_BYTES);
            queue.synchronize();
            int copies = backend.hostAddressable() ? 1 : COPIES;
            return best(
                    () -> {
                        for (int i = 0; i < copies; i++) {
                            backend.copy(queue, to, 0, from, 0, COPY_BYTES);
                        }
                        queue.synchronize();
                    },
                    2.0 * COPY_BYTES * copies);
        }
    }

    private static double flops() {
        int cores = Runtime.getRuntime().availableProcessors();
        float[][] data = new float[cores][ELEMENTS];
        return best(() -> onAllCores(data), (double) cores * PASSES * ELEMENTS * FLOPS_PER_ELEMENT);
    }

    /** The best rate of some work, in units a second. */
    private static double best(Runnable work, double units) {
        double best = 0;
        long start = System.nanoTime();
        long found = start;
        for (long now = start; now - found < SETTLED_NANOS && now - start < MOST_NANOS; ) {
            work.run();
            long end = System.nanoTime();
            double rate = units * 1e9 / (end - now);
            // Less than a twentieth is noise.
            if (rate > 1.05 * best) {
                found = end;
            }
            best = Math.max(best, rate);
            now = end;
        }
        return best;
    }

    private static void onAllCores(float[][] data) {
        List<Thread> threads = new ArrayList<>();
        for (float[] part : data) {
            Thread thread = Thread.ofPlatform().name("vt bench").unstarted(() -> passes(part));
            thread.setContextClassLoader(null);
            threads.add(thread);
            thread.start();
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("vt:bench: stopped");
        }
    }

    private static void passes(float[] x) {
        for (int pass = 0; pass < PASSES; pass++) {
            for (int i = 0; i < x.length; i++) {
                float v = x[i];
                v = Math.fma(v, 0.5f, 1f);
                v = Math.fma(v, 0.5f, 1f);
                v = Math.fma(v, 0.5f, 1f);
                v = Math.fma(v, 0.5f, 1f);
                v = Math.fma(v, 0.5f, 1f);
                v = Math.fma(v, 0.5f, 1f);
                v = Math.fma(v, 0.5f, 1f);
                x[i] = Math.fma(v, 0.5f, 1f);
            }
        }
    }

    /** The least time that a case can take here, in seconds. */
    double floor(TestCase c) {
        double memory = c.bytes() / copyBytesPerSecond;
        return flopsPerSecond == 0 ? memory : Math.max(memory, c.flops() / flopsPerSecond);
    }
}
