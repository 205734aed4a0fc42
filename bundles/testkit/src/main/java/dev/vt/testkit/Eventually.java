package dev.vt.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Waits for something that other threads or processes bring about, and says what was seen last when the deadline passes. It looks
 * every few milliseconds. One thread at a time uses an instance.
 */
public final class Eventually {
    /** Short against any deadline, long against any look. */
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

    private final Duration deadline;

    private Eventually(Duration deadline) {
        this.deadline = deadline;
    }

    public static Eventually within(Duration deadline) {
        return new Eventually(deadline);
    }

    /**
     * Waits until what {@code look} sees is right, and returns it.
     *
     * @param what what is waited for, for the message
     * @throws AssertionError after the deadline, with what was seen last
     */
    public <T> T see(String what, Callable<T> look, Predicate<? super T> right) {
        long end = System.nanoTime() + deadline.toNanos();
        while (true) {
            T seen = look(what, look);
            if (right.test(seen)) {
                return seen;
            }
            if (System.nanoTime() - end >= 0) {
                throw new AssertionError(what + ": not within " + deadline.toMillis() + " ms; last seen: " + seen);
            }
            LockSupport.parkNanos(this, PAUSE);
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw new AssertionError(what + ": interrupted; last seen: " + seen);
            }
        }
    }

    /** Waits until a condition holds. */
    public void holds(String what, Callable<Boolean> condition) {
        see(what, condition, Boolean.TRUE::equals);
    }

    private static <T> T look(String what, Callable<T> look) {
        try {
            return look.call();
        } catch (Exception e) {
            throw new AssertionError(what + ": looking failed", e);
        }
    }
}
