package dev.vt.provider.cublaslt.internal;

import dev.vt.api.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The plans of one device, a bounded number: the oldest makes room for a new one. Finding takes no lock and allocates nothing; its
 * owner sees to it that one thread at a time changes it.
 */
final class PlanCache implements AutoCloseable {
    /** A model has a dozen shapes for each number of rows. */
    static final int LIMIT = 512;

    /** A power of two, so sparse that a search is short. */
    private static final int SLOTS = 4 * LIMIT;

    private final Deque<Plan> order = new ArrayDeque<>();
    /** Never changed, but replaced. A plan lies at the first free slot from that of its hash on. */
    private volatile @Nullable Plan[] table = new @Nullable Plan[SLOTS];

    /** The plan for a call, entered, or null. */
    @Nullable
    Plan enter(Product product, Tensor out, Tensor a, Tensor b) {
        @Nullable Plan[] slots = table;
        int at = Shape.hash(product, out, a, b) & SLOTS - 1;
        for (Plan p = slots[at]; p != null; p = slots[at]) {
            if (p.shape().fits(product, out, a, b) && p.enter()) {
                return p;
            }
            at = at + 1 & SLOTS - 1;
        }
        return null;
    }

    /** Keeps a plan, which it owns from now on. */
    void add(Plan plan) {
        order.add(plan);
        if (order.size() <= LIMIT) {
            @Nullable Plan[] next = Arrays.copyOf(table, SLOTS);
            put(next, plan);
            table = next;
            return;
        }
        Plan oldest = order.remove();
        @Nullable Plan[] next = new @Nullable Plan[SLOTS];
        order.forEach(p -> put(next, p));
        table = next;
        oldest.exit();
    }

    private static void put(@Nullable Plan[] slots, Plan plan) {
        int at = plan.shape().hashCode() & SLOTS - 1;
        while (slots[at] != null) {
            at = at + 1 & SLOTS - 1;
        }
        slots[at] = plan;
    }

    /** Retires all; those in use are freed when their call has left. */
    @Override
    public void close() {
        table = new @Nullable Plan[SLOTS];
        order.forEach(Plan::exit);
        order.clear();
    }
}
