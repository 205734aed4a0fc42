package dev.vt.registry.internal;

import static dev.vt.registry.internal.Doubles.CPU;
import static dev.vt.registry.internal.Doubles.cpuRegistry;
import static dev.vt.registry.internal.Doubles.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.vt.api.device.Queue;
import dev.vt.api.op.ExecutionContext;
import dev.vt.api.op.Op;
import dev.vt.api.op.Selection;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Unary;
import dev.vt.registry.internal.Doubles.FakeBackend;
import dev.vt.registry.internal.Doubles.FakeProvider;
import dev.vt.registry.internal.Doubles.FakeQueue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Providers that come and go while work runs. */
@Timeout(120)
class LeavingTest {
    private static final Op<Unary> RELU = OpTable.RELU;
    private final Tensor t = new FakeBackend(CPU).floats(1);

    private void relu(Registry r, Queue queue) {
        r.ops().call(RELU, queue, k -> k.run(queue, t, t));
    }

    @Test
    @DisplayName("S16 removal waits for the call inside, the later call takes the next provider, then the devices are"
            + " drained")
    void waits() throws Exception {
        Registry r = Doubles.registry();
        FakeBackend cpu = new FakeBackend(CPU);
        r.add(cpu, origin("cpu"));
        FakeProvider top = new FakeProvider("top", 9);
        FakeProvider low = new FakeProvider("low", 1);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        top.inside = () -> {
            inside.countDown();
            await(release);
        };
        Registry.Handle handle = r.add(top, origin("top"));
        r.add(low, origin("low"));
        Thread caller = Thread.ofPlatform().start(() -> relu(r, new FakeQueue(CPU)));
        await(inside);
        CountDownLatch removed = new CountDownLatch(1);
        Thread.ofPlatform().start(() -> {
            handle.remove();
            removed.countDown();
        });
        while (!"low".equals(r.ops().explain(RELU, CPU).selected())) {
            Thread.onSpinWait();
        }
        relu(r, new FakeQueue(CPU));
        assertEquals(1, low.calls.get());
        assertFalse(removed.await(50, TimeUnit.MILLISECONDS), "a call is still inside");
        assertEquals(0, cpu.drains.get());
        release.countDown();
        await(removed);
        caller.join();
        assertEquals(1, cpu.drains.get());
        assertEquals(1, top.calls.get());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS), "no progress");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("S16 a step holds its providers until it ends; a step of the removing thread itself does not block it")
    void stepHolds() throws Exception {
        Registry r = cpuRegistry();
        Registry.Handle handle = r.add(new FakeProvider("p", 1), origin("p"));
        ExecutionContext context = r.ops().newContext();
        context.begin();
        CountDownLatch removed = new CountDownLatch(1);
        Thread.ofPlatform().start(() -> {
            handle.remove();
            removed.countDown();
        });
        assertFalse(removed.await(50, TimeUnit.MILLISECONDS));
        context.end();
        await(removed);
        Registry.Handle own = r.add(new FakeProvider("q", 1), origin("q"));
        context.begin();
        own.remove();
        context.end();
    }

    @Test
    @DisplayName("S18 O1.8 after an update the new kernel is called and the old one never again")
    void noStaleKernel() {
        Registry r = cpuRegistry();
        FakeProvider old = new FakeProvider("p", 1);
        FakeQueue queue = new FakeQueue(CPU);
        Registry.Handle handle = r.add(old, origin("p"));
        relu(r, queue);
        handle.remove();
        handle.remove();
        FakeProvider fresh = new FakeProvider("p", 1);
        r.add(fresh, origin("p"));
        relu(r, queue);
        relu(r, queue);
        assertEquals(1, old.calls.get());
        assertEquals(2, fresh.calls.get());
    }

    @Test
    @DisplayName(
            "O2.4 a better provider that comes later wins at the next call; the call begun before ends on the old one")
    void laterWins() throws Exception {
        Registry r = cpuRegistry();
        FakeProvider old = new FakeProvider("old", 0);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        old.inside = () -> {
            inside.countDown();
            await(release);
        };
        r.add(old, origin("old"));
        Thread caller = Thread.ofPlatform().start(() -> relu(r, new FakeQueue(CPU)));
        await(inside);
        FakeProvider better = new FakeProvider("better", 10);
        r.add(better, origin("better"));
        relu(r, new FakeQueue(CPU));
        release.countDown();
        caller.join();
        assertEquals(1, old.calls.get());
        assertEquals(1, better.calls.get());
    }

    @Test
    @DisplayName("S16 O2.2 under load no call is lost or finds nothing while the winner comes, goes, is disabled and"
            + " changes priority")
    void noCallLost() throws Exception {
        Registry r = cpuRegistry();
        FakeProvider base = new FakeProvider("base", 0);
        r.add(base, origin("base"));
        r.ops().countCalls(true);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong made = new AtomicLong();
        List<Throwable> failures = new ArrayList<>();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
            callers.add(builder.start(() -> {
                FakeQueue queue = new FakeQueue(CPU);
                try (ExecutionContext context = r.ops().newContext()) {
                    while (!stop.get()) {
                        context.begin();
                        context.call(RELU, queue, k -> k.run(queue, t, t));
                        context.end();
                        relu(r, queue);
                        made.addAndGet(2);
                    }
                } catch (Throwable e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            }));
        }
        long swaps = 0;
        AtomicLong usedAfterLeaving = new AtomicLong();
        for (int round = 0; round < 300; round++) {
            FakeProvider fast = new FakeProvider("fast", 10);
            AtomicBoolean gone = new AtomicBoolean();
            fast.inside = () -> {
                if (gone.get()) {
                    usedAfterLeaving.incrementAndGet();
                }
            };
            Registry.Handle handle = r.add(fast, origin("fast" + round));
            long before = made.get();
            while (made.get() < before + 8 && failures.isEmpty()) {
                Thread.onSpinWait();
            }
            if (round % 3 == 0) {
                r.ops().disable("fast");
                r.ops().enable("fast");
            }
            handle.modify(java.util.Map.of("vt.provider.priority", -round));
            handle.remove();
            gone.set(true);
            swaps++;
        }
        stop.set(true);
        for (Thread caller : callers) {
            caller.join();
        }
        assertEquals(List.of(), failures);
        assertEquals(300, swaps);
        assertEquals(0, usedAfterLeaving.get());
        assertEquals(made.get(), r.ops().stats(RELU, CPU).selections(), "every call was served once");
        assertEquals(0, r.ops().stats(RELU, CPU).fallbacks());
    }

    @RepeatedTest(20)
    @DisplayName("O2.1 after a storm of ten threads the order is that of a plain sort of what is registered")
    void storm(RepetitionInfo info) throws Exception {
        Registry r = cpuRegistry();
        List<FakeProvider> left = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Random random = new Random(info.getCurrentRepetition() * 100L + i);
            int id = i;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int k = 0; k < 20; k++) {
                    FakeProvider p = new FakeProvider("p" + id + "-" + k, random.nextInt());
                    Registry.Handle h = r.add(p, origin(p.name));
                    if (random.nextBoolean()) {
                        h.remove();
                    } else {
                        synchronized (left) {
                            left.add(p);
                        }
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        List<String> expected = left.stream()
                .sorted(Comparator.<FakeProvider>comparingInt(p -> p.priority)
                        .reversed()
                        .thenComparing(p -> p.name))
                .map(p -> p.name)
                .toList();
        assertEquals(
                expected,
                r.ops().explain(RELU, CPU).chain().stream()
                        .map(Selection.Link::name)
                        .toList(),
                "seed " + info.getCurrentRepetition());
    }

    @Test
    @DisplayName(
            "O1.5 providers that call into the registry from their own methods, from two threads, do not block each"
                    + " other")
    void noLockHeld() throws Exception {
        Registry r = cpuRegistry();
        AtomicLong rounds = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        CountDownLatch bothIn = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            int id = i;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int k = 0; k < 500; k++) {
                    FakeProvider p = new FakeProvider("p" + id, id);
                    if (k == 0) {
                        // The other thread must get into the registry while this one is inside a predicate.
                        p.supports = caps -> {
                            bothIn.countDown();
                            await(bothIn);
                            return r.ops().providers() != null;
                        };
                    } else {
                        p.supports = caps -> !r.ops().selections().isEmpty() || true;
                    }
                    Registry.Handle h = r.add(p, origin(p.name));
                    h.remove();
                    rounds.incrementAndGet();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join(60_000);
            if (thread.isAlive()) {
                fail("no progress after " + rounds.get() + " rounds: " + List.of(thread.getStackTrace()));
            }
        }
        assertEquals(1000, rounds.get());
    }

    @Test
    @DisplayName("S20 disable returns when no call is left inside; calls go to the next one")
    void disableWaits() throws Exception {
        Registry r = cpuRegistry();
        FakeProvider top = new FakeProvider("top", 9);
        FakeProvider low = new FakeProvider("low", 1);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        top.inside = () -> {
            inside.countDown();
            await(release);
        };
        r.add(top, origin("top"));
        r.add(low, origin("low"));
        Thread.ofVirtual().start(() -> relu(r, new FakeQueue(CPU)));
        await(inside);
        CountDownLatch done = new CountDownLatch(1);
        Thread.ofPlatform().start(() -> {
            r.ops().disable("top");
            done.countDown();
        });
        assertFalse(done.await(50, TimeUnit.MILLISECONDS));
        relu(r, new FakeQueue(CPU));
        release.countDown();
        await(done);
        assertEquals(1, low.calls.get());
    }

    @Test
    @DisplayName("more calls inside than there are slots: all are served")
    void manyInside() throws Exception {
        Registry r = cpuRegistry();
        FakeProvider p = new FakeProvider("p", 1);
        CountDownLatch all = new CountDownLatch(400);
        p.inside = () -> {
            all.countDown();
            await(all);
        };
        Registry.Handle h = r.add(p, origin("p"));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            threads.add(Thread.ofVirtual().start(() -> relu(r, new FakeQueue(CPU))));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(400, p.calls.get());
        h.remove();
    }
}
