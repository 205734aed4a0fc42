package dev.vt.registry.internal;

import static dev.vt.registry.internal.Doubles.CPU;
import static dev.vt.registry.internal.Doubles.cpuRegistry;
import static dev.vt.registry.internal.Doubles.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.op.ExecutionContext;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Unary;
import dev.vt.registry.internal.Doubles.FakeBackend;
import dev.vt.registry.internal.Doubles.FakeProvider;
import dev.vt.registry.internal.Doubles.FakeQueue;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a call allocates. In a process of its own: a path that another test has taken is compiled in. */
class AllocationTest {
    private static final Op<Unary> RELU = OpTable.RELU;

    private final FakeQueue queue = new FakeQueue(CPU);
    private final Tensor t = new FakeBackend(CPU).floats(2, 3);

    private void relu(Registry r) {
        r.ops().call(RELU, queue, k -> k.run(queue, t, t));
    }

    @Test
    @DisplayName("a call allocates nothing, lone or in a step, declined or not")
    void allocationFree() {
        Registry r = cpuRegistry();
        FakeProvider top = new FakeProvider("top", 9).declines("no");
        r.add(top, origin("top"));
        r.add(new FakeProvider("low", 1), origin("low"));
        assertEquals(0, allocated(() -> relu(r)));
        ExecutionContext context = r.ops().newContext();
        context.begin();
        assertEquals(0, allocated(() -> context.call(RELU, queue, k -> k.run(queue, t, t))));
        context.end();
    }

    /** Bytes that 1,000 rounds allocate, in the best of many tries: the first ones run uncompiled. */
    private static long allocated(Runnable body) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long best = Long.MAX_VALUE;
        for (int round = 0; round < 20_000 && best > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1_000; i++) {
                body.run();
            }
            best = Math.min(best, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return best;
    }
}
