package dev.vt.testkit;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds out whether objects that should be gone (a provider, its class loader) can still be reached. The caller must have let go
 * of them itself: watch them in a method of its own, so that no local variable holds them. One thread at a time.
 */
public final class LeakCheck {
    private final ReferenceQueue<Object> gone = new ReferenceQueue<>();
    private final List<Watched> watched = new ArrayList<>();

    /** A check that watches nothing yet. */
    public LeakCheck() {
        // Nothing to set up; written out since the package is exported.
    }

    private static final class Watched extends WeakReference<Object> {
        private final String name;

        Watched(String name, Object target, ReferenceQueue<Object> queue) {
            super(target, queue);
            this.name = name;
        }
    }

    /** Watches one more object. */
    public LeakCheck watch(String name, Object target) {
        watched.add(new Watched(name, target, gone));
        return this;
    }

    /** The names of those that can still be reached, after a collection. */
    public List<String> alive() {
        System.gc();
        return watched.stream().filter(w -> w.get() != null).map(w -> w.name).toList();
    }

    /**
     * Collects garbage until at most so many of the watched are left.
     *
     * @throws AssertionError after the deadline, with the names of those left
     */
    public void assertAtMost(int left, Duration deadline) {
        long end = System.nanoTime() + deadline.toNanos();
        while (alive().size() > left) {
            if (System.nanoTime() - end >= 0) {
                throw new AssertionError("still reachable after " + deadline.toMillis() + " ms: " + alive());
            }
            awaitOne();
        }
    }

    /** Collects garbage until none is left. */
    public void assertCollected(Duration deadline) {
        assertAtMost(0, deadline);
    }

    private void awaitOne() {
        try {
            // Soft references and cleaners need another collection or two; meanwhile there is nothing to do.
            gone.remove(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the collector", e);
        }
    }
}
