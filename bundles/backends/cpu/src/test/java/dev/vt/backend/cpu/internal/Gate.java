package dev.vt.backend.cpu.internal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.backend.cpu.CpuQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Holds a queue inside a task until a test lets it go. */
final class Gate {
    static final long DEADLINE_SECONDS = 60;

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    /** A gate whose task is in the queue. */
    static Gate in(CpuQueue queue) {
        Gate gate = new Gate();
        queue.submit(workers -> gate.pass());
        return gate;
    }

    void pass() {
        entered.countDown();
        await(opened);
    }

    /** Returns when the queue's thread is inside. */
    Gate entered() {
        await(entered);
        return this;
    }

    void open() {
        opened.countDown();
    }

    static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(DEADLINE_SECONDS, TimeUnit.SECONDS), "the deadline is over");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void until(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "the deadline is over");
            Thread.onSpinWait();
        }
    }
}
