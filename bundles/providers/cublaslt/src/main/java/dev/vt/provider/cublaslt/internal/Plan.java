package dev.vt.provider.cublaslt.internal;

import dev.vt.api.op.Outcome;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How cuBLASLt computes products of one shape on one device, or that it can't. A cache owns it and retires it; it is freed when the last
 * call that uses it has left. Any thread may use it.
 */
final class Plan {
    private final Shape shape;
    private final Descriptors descriptors;
    private final long algorithm;
    private final long scratchBytes;
    private final AtomicInteger users = new AtomicInteger(1);
    private volatile @Nullable Outcome refused;

    Plan(Shape shape, Descriptors descriptors, long algorithm, long scratchBytes, @Nullable Outcome refused) {
        this.shape = shape;
        this.descriptors = descriptors;
        this.algorithm = algorithm;
        this.scratchBytes = scratchBytes;
        this.refused = refused;
    }

    Shape shape() {
        return shape;
    }

    long operation() {
        return descriptors.operation();
    }

    long layoutA() {
        return descriptors.layoutA();
    }

    long layoutB() {
        return descriptors.layoutB();
    }

    long layoutD() {
        return descriptors.layoutD();
    }

    /** Address of the algorithm. */
    long algorithm() {
        return algorithm;
    }

    /** Device memory that the algorithm needs while it runs. */
    long scratchBytes() {
        return scratchBytes;
    }

    /** Why products of this shape are declined, or null. */
    @Nullable
    Outcome refused() {
        return refused;
    }

    /** From now on products of this shape are declined. */
    void refuse(Outcome why) {
        refused = why;
    }

    /** True when the plan may be used until {@link #exit}. */
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

    /** Ends a use; the cache calls it once when it retires the plan. */
    void exit() {
        if (users.decrementAndGet() == 0) {
            descriptors.close();
        }
    }
}
