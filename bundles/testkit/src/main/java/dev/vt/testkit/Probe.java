package dev.vt.testkit;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a test sees of a generated provider of the same process, and how it holds its kernels: counters by name, and a gate.
 * Generated classes come from another class loader and may outlive or precede the test kit's bundle, so the two meet in a map of JDK
 * types alone, kept in the system properties under the probe's key; nothing of the provider is held. In another process the
 * map is missing and the provider runs without a probe. Whoever opens a probe closes it; any thread may use it.
 */
public final class Probe implements AutoCloseable {
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final String key = "dev.vt.testkit.probe." + NUMBERS.incrementAndGet();
    private final Map<String, Object> shared = new ConcurrentHashMap<>();
    private final CountDownLatch gate = new CountDownLatch(1);
    private final CountDownLatch entered = new CountDownLatch(1);

    private Probe() {
        shared.put("gate", gate);
        shared.put("entered", entered);
    }

    public static Probe open() {
        Probe probe = new Probe();
        System.getProperties().put(probe.key, probe.shared);
        return probe;
    }

    String key() {
        return key;
    }

    /** How often the class was initialised. */
    public long loaded() {
        return count("loaded");
    }

    /** How many instances were made. */
    public long made() {
        return count("made");
    }

    /** How often {@code supports} was asked. */
    public long supportsAsked() {
        return count("supports");
    }

    /** How often kernels ran, declines included. */
    public long calls() {
        return count("calls");
    }

    /** How often the kernel of one op ran. */
    public long calls(String op) {
        return count("calls " + op);
    }

    /** How often the component was deactivated. */
    public long deactivated() {
        return count("deactivated");
    }

    private long count(String name) {
        Object counter = shared.get(name);
        return counter instanceof AtomicLong n ? n.get() : 0;
    }

    /** Waits until a blocking kernel has been entered. */
    public void awaitEntered(Duration deadline) {
        try {
            if (!entered.await(deadline.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new AssertionError("no blocking kernel was entered within " + deadline.toMillis() + " ms");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for a kernel", e);
        }
    }

    /** Lets all blocking kernels go, now and from now on. */
    public void release() {
        gate.countDown();
    }

    @Override
    public void close() {
        release();
        System.getProperties().remove(key);
    }
}
