package dev.vt.backend.cpu.internal;

import static dev.vt.backend.cpu.internal.Errors.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class QueueTest {
    private final CpuBackend backend = new CpuBackend(2);
    private final CpuQueue queue = backend.createQueue();

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    @DisplayName("B3 ids are unique in the process over backends, from 1, never used again")
    void ids() {
        Set<Long> seen = new HashSet<>(Set.of(queue.id()));
        long last = queue.id();
        assertTrue(last >= 1);
        try (CpuBackend second = new CpuBackend(1)) {
            for (int i = 0; i < 50; i++) {
                try (CpuQueue a = backend.createQueue();
                        CpuQueue b = second.createQueue()) {
                    assertTrue(seen.add(a.id()));
                    assertTrue(seen.add(b.id()));
                    assertTrue(a.id() > last);
                    last = b.id();
                }
            }
        }
    }

    @Test
    @DisplayName("B3 tasks run in order, asynchronously, on the queue's own thread")
    void order() {
        List<Integer> done = new ArrayList<>();
        Set<Thread> threads = new HashSet<>();
        Gate gate = Gate.in(queue).entered();
        for (int i = 0; i < 1000; i++) {
            int n = i;
            queue.submit(workers -> {
                done.add(n);
                threads.add(Thread.currentThread());
            });
        }
        assertTrue(done.isEmpty());
        gate.open();
        queue.synchronize();
        assertEquals(1000, done.size());
        for (int i = 0; i < 1000; i++) {
            assertEquals(i, done.get(i));
        }
        assertEquals("vt-cpu-queue-" + queue.id(), threads.iterator().next().getName());
        assertEquals(1, threads.size());
    }

    @Test
    @DisplayName("B3 many threads, platform and virtual, use one queue: nothing is lost, each giver's order holds")
    void manyGivers() throws InterruptedException {
        int givers = 16;
        int each = 2000;
        int[] lastOf = new int[givers];
        AtomicInteger wrong = new AtomicInteger();
        AtomicInteger count = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int g = 0; g < givers; g++) {
            int giver = g;
            Runnable giving = () -> {
                for (int i = 1; i <= each; i++) {
                    int n = i;
                    queue.submit(workers -> {
                        if (lastOf[giver] != n - 1) {
                            wrong.incrementAndGet();
                        }
                        lastOf[giver] = n;
                        count.incrementAndGet();
                    });
                    if (i % 100 == 0) {
                        queue.synchronize();
                    }
                }
            };
            threads.add(
                    g % 2 == 0
                            ? Thread.ofPlatform().start(giving)
                            : Thread.ofVirtual().start(giving));
        }
        for (Thread t : threads) {
            assertTrue(t.join(Duration.ofSeconds(Gate.DEADLINE_SECONDS)));
        }
        queue.synchronize();
        assertEquals(givers * each, count.get());
        assertEquals(0, wrong.get());
    }

    @Test
    @DisplayName("B3 closing does the queued work first, may be repeated and run from many threads; then the queue "
            + "refuses work")
    void closing() throws InterruptedException {
        Gate gate = Gate.in(queue).entered();
        AtomicInteger count = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            queue.submit(workers -> count.incrementAndGet());
        }
        List<Thread> closers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            closers.add(Thread.ofVirtual().start(queue::close));
        }
        gate.open();
        for (Thread t : closers) {
            assertTrue(t.join(Duration.ofSeconds(Gate.DEADLINE_SECONDS)));
        }
        queue.close();
        assertEquals(100, count.get());
        assertEquals(0, backend.memoryUse().queues());
        String name = "queue " + queue.id() + " of cpu:0";
        refused(ErrorCode.CLOSED, () -> queue.submit(workers -> {}), name);
        refused(ErrorCode.CLOSED, queue::synchronize, name);
        refused(ErrorCode.CLOSED, () -> queue.record(backend.createEvent(true)), name);
        refused(ErrorCode.CLOSED, () -> queue.waitFor(backend.createEvent(true)), name);
        refused(ErrorCode.CLOSED, queue::beginCapture, name);
    }

    @Test
    @DisplayName("B3 giving work races with closing, 2,000 times: each task is done or refused")
    void closeRace() throws InterruptedException {
        for (int i = 0; i < 2000; i++) {
            CpuQueue q = backend.createQueue();
            AtomicInteger done = new AtomicInteger();
            AtomicInteger accepted = new AtomicInteger();
            Thread giver = Thread.ofVirtual().start(() -> {
                try {
                    for (int n = 0; n < 1000; n++) {
                        q.submit(workers -> done.incrementAndGet());
                        accepted.incrementAndGet();
                    }
                } catch (VtException e) {
                    assertEquals(ErrorCode.CLOSED, e.code());
                }
            });
            q.close();
            assertTrue(giver.join(Duration.ofSeconds(Gate.DEADLINE_SECONDS)));
            assertEquals(accepted.get(), done.get());
        }
    }

    @Test
    @DisplayName("B4 synchronize waits for all work given before; a failure is told once and discards what follows it")
    void failure() {
        AtomicInteger after = new AtomicInteger();
        IllegalStateException cause = new IllegalStateException("row 7 is bad");
        Gate gate = Gate.in(queue).entered();
        queue.submit(workers -> {
            throw cause;
        });
        queue.submit(workers -> after.incrementAndGet());
        queue.submit(workers -> {
            throw new IllegalStateException("a second failure is discarded too");
        });
        gate.open();
        VtException e = refused(
                ErrorCode.KERNEL_FAILED, queue::synchronize, "queue " + queue.id() + " of cpu:0", "row 7 is bad");
        assertSame(cause, e.getCause());
        assertEquals(0, after.get());
        queue.synchronize();
        queue.submit(workers -> after.incrementAndGet());
        queue.synchronize();
        assertEquals(1, after.get());
    }

    @Test
    @DisplayName("B4 a failure stays until it is asked for, even when the queue was idle meanwhile")
    void stickyFailure() {
        queue.submit(workers -> {
            throw VtException.invalidArgument("embedding: id 9 lies outside the table of 4 rows");
        });
        backend.drain();
        AtomicInteger ran = new AtomicInteger();
        queue.submit(workers -> ran.incrementAndGet());
        backend.drain();
        refused(ErrorCode.KERNEL_FAILED, queue::synchronize, "id 9 lies outside the table");
        assertEquals(0, ran.get());
        queue.submit(workers -> {
            throw new OutOfMemoryError("made up");
        });
        refused(ErrorCode.KERNEL_FAILED, queue::synchronize, "made up");
    }

    @Test
    @DisplayName("B4 one queue's failure does not touch another queue")
    void separateFailures() {
        CpuQueue other = backend.createQueue();
        AtomicInteger ran = new AtomicInteger();
        queue.submit(workers -> {
            throw new IllegalStateException("bad");
        });
        other.submit(workers -> ran.incrementAndGet());
        other.synchronize();
        assertEquals(1, ran.get());
        refused(ErrorCode.KERNEL_FAILED, queue::synchronize);
    }

    @Test
    @DisplayName("B4 waiting for a queue inside a task is refused with a sentence; drain and closing are safe there")
    void waitInTask() {
        AtomicReference<Throwable> sync = new AtomicReference<>();
        AtomicReference<Throwable> drain = new AtomicReference<>();
        queue.submit(workers -> {
            sync.set(refused(ErrorCode.INVALID_ARGUMENT, queue::synchronize, "queue " + queue.id(), "task"));
            drain.set(refused(ErrorCode.INVALID_ARGUMENT, backend::drain, "drain", "task"));
        });
        queue.synchronize();
        assertTrue(sync.get() != null && drain.get() != null);
        CpuQueue second = backend.createQueue();
        AtomicInteger ran = new AtomicInteger();
        Gate gate = Gate.in(second).entered();
        second.submit(workers -> second.close());
        second.submit(workers -> ran.incrementAndGet());
        gate.open();
        Gate.until(() -> backend.memoryUse().queues() == 1);
        assertEquals(1, ran.get());
    }

    @Test
    @DisplayName("B4 drain waits for the work of all queues and leaves failures where they are")
    void drain() {
        CpuQueue other = backend.createQueue();
        AtomicInteger count = new AtomicInteger();
        for (int i = 0; i < 500; i++) {
            (i % 2 == 0 ? queue : other).submit(workers -> count.incrementAndGet());
        }
        other.submit(workers -> {
            throw new IllegalStateException("later");
        });
        backend.flushPending();
        backend.drain();
        assertEquals(500, count.get());
        refused(ErrorCode.KERNEL_FAILED, other::synchronize, "later");
    }

    @Test
    @DisplayName("B4 an interrupt neither ends a wait nor is lost")
    void interrupt() {
        Gate gate = Gate.in(queue).entered();
        Thread self = Thread.currentThread();
        AtomicInteger ran = new AtomicInteger();
        queue.submit(workers -> ran.incrementAndGet());
        Thread.ofPlatform().start(() -> {
            Gate.until(() -> self.getState() == Thread.State.WAITING);
            self.interrupt();
            gate.open();
        });
        queue.synchronize();
        assertEquals(1, ran.get());
        assertTrue(Thread.interrupted());
        assertFalse(Thread.interrupted());
    }

    @Test
    @DisplayName("B3 a queue that has slept for long wakes up for one task, 5,000 times")
    void wakeUp() {
        for (int i = 0; i < 5000; i++) {
            AtomicInteger ran = new AtomicInteger();
            queue.submit(workers -> workers.forRange(2, 1, (from, to) -> ran.addAndGet((int) (to - from))));
            if (i % 500 == 0) {
                Gate.until(() -> ran.get() == 2);
            } else {
                queue.synchronize();
            }
            assertEquals(2, ran.get());
        }
    }
}
