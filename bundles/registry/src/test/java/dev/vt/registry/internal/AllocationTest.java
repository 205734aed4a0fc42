package dev.vt.registry.internal;

import static dev.vt.registry.internal.Doubles.CPU;
import static dev.vt.registry.internal.Doubles.cpuRegistry;
import static dev.vt.registry.internal.Doubles.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.op.Dispatcher;
import dev.vt.api.op.ExecutionContext;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Unary;
import dev.vt.registry.internal.Doubles.FakeBackend;
import dev.vt.registry.internal.Doubles.FakeProvider;
import dev.vt.registry.internal.Doubles.FakeQueue;
import java.lang.management.ManagementFactory;
import java.util.List;
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
        FakeProvider low = new FakeProvider("low", 1);
        low.ops = List.of(RELU, OpTable.CAST_F32, OpTable.CAST_BF16, OpTable.SILU_AND_MUL, OpTable.GELU_AND_MUL);
        r.add(top, origin("top"));
        r.add(low, origin("low"));
        ExecutionContext context = r.ops().newContext();
        severalOps(r.ops());
        context.begin();
        severalOps(context);
        context.end();
        assertEquals(0, allocated(() -> relu(r)));
        context.begin();
        assertEquals(0, allocated(() -> context.call(RELU, queue, k -> k.run(queue, t, t))));
        context.end();
    }

    /**
     * A program calls several ops. Where it calls but one, the compiler sees a single kind of call, puts its kernel into the dispatch
     * code, and may then find that code too large to be inlined at the call.
     */
    private void severalOps(Dispatcher dispatcher) {
        for (int i = 0; i < 20_000; i++) {
            dispatcher.call(OpTable.CAST_F32, queue, k -> k.run(queue, t, t));
            dispatcher.call(OpTable.CAST_BF16, queue, k -> k.run(queue, t, t));
            dispatcher.call(OpTable.SILU_AND_MUL, queue, k -> k.run(queue, t, t));
            dispatcher.call(OpTable.GELU_AND_MUL, queue, k -> k.run(queue, t, t));
        }
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
