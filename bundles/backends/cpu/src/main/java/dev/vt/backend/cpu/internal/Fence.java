package dev.vt.backend.cpu.internal;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A point that some queues have to reach. When all have, an action runs on the thread that came last, then waiters go
 * on. Any thread may wait; a fence is used once.
 */
final class Fence {
    private static final Runnable NOTHING = () -> {};
    private static final Waiter DONE = new Waiter(null, null);

    private final AtomicInteger missing;
    private final Runnable action;
    private final AtomicReference<@Nullable Waiter> waiters = new AtomicReference<>();

    private Fence(int arrivals, Runnable action) {
        this.missing = new AtomicInteger(arrivals);
        this.action = action;
    }

    /** A fence for some arrivals. */
    static Fence of(int arrivals) {
        return new Fence(arrivals, NOTHING);
    }

    /** A fence for one arrival, with an action. */
    static Fence of(Runnable action) {
        return new Fence(1, action);
    }

    /** One more arrival to wait for; only before the last one has come. */
    void expect() {
        missing.incrementAndGet();
    }

    void arrive() {
        if (missing.decrementAndGet() != 0) {
            return;
        }
        try {
            action.run();
        } finally {
            release();
        }
    }

    boolean done() {
        return waiters.get() == DONE;
    }

    /** Blocks until done, spinning for a moment first. An interrupt does not end the wait and is kept. */
    void await() {
        if (!Spin.until(this::done)) {
            park();
        }
    }

    /** Blocks until done without spinning. */
    void park() {
        Thread self = Thread.currentThread();
        Waiter head;
        do {
            head = waiters.get();
            if (head == DONE) {
                return;
            }
        } while (!waiters.compareAndSet(head, new Waiter(self, head)));
        boolean interrupted = false;
        while (!done()) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            self.interrupt();
        }
    }

    private void release() {
        for (Waiter w = waiters.getAndSet(DONE); w != null; w = w.next) {
            LockSupport.unpark(w.thread);
        }
    }

    private record Waiter(@Nullable Thread thread, @Nullable Waiter next) {}
}
