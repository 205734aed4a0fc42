package dev.vt.backend.cuda.internal;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps a native handle alive while threads use it: it is given back once, when its owner has closed it and the last user has
 * left, by whoever came last.
 */
final class UseCount {
    private final AtomicInteger users = new AtomicInteger(1);
    private final Runnable release;

    UseCount(Runnable release) {
        this.release = release;
    }

    /** True when the handle may be used until {@link #exit}. */
    boolean enter() {
        int n;
        do {
            n = users.get();
            if (n == 0) {
                return false;
            }
        } while (!users.compareAndSet(n, n + 1));
        return true;
    }

    /** Ends a use; the owner calls it once for itself. */
    void exit() {
        if (users.decrementAndGet() == 0) {
            release.run();
        }
    }
}
