package dev.vt.registry.internal;

import dev.vt.api.device.KernelOwner;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A registered provider as graphs and leases see it. Entering fails once it has left; leaving is complete when nobody is inside.
 */
final class Owner implements KernelOwner {
    private static final int GONE = Integer.MIN_VALUE;

    private volatile String name;
    private final AtomicInteger inside = new AtomicInteger();

    Owner(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    /** The name is known for sure only when the provider has been asked. */
    void name(String known) {
        name = known;
    }

    @Override
    public boolean enter() {
        int n = inside.get();
        while (n >= 0) {
            if (inside.compareAndSet(n, n + 1)) {
                return true;
            }
            n = inside.get();
        }
        return false;
    }

    @Override
    public void exit() {
        inside.decrementAndGet();
    }

    /** From now on nobody enters. */
    void leave() {
        inside.getAndUpdate(n -> n < 0 ? n : n + GONE);
    }

    boolean left() {
        return inside.get() < 0;
    }

    /** How many are inside. */
    int inside() {
        int n = inside.get();
        return n < 0 ? n - GONE : n;
    }
}
