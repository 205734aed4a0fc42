package dev.vt.registry.internal;

import static dev.vt.registry.internal.AdmissionRulesTest.QUICK;
import static dev.vt.registry.internal.AdmissionRulesTest.link;
import static dev.vt.registry.internal.AdmissionRulesTest.registry;
import static dev.vt.registry.internal.AdmissionRulesTest.settle;
import static dev.vt.registry.internal.Doubles.CPU;
import static dev.vt.registry.internal.Doubles.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.op.Op;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Unary;
import dev.vt.registry.internal.Doubles.FakeBackend;
import dev.vt.registry.internal.Doubles.FakeKit;
import dev.vt.registry.internal.Doubles.FakeProvider;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Admission tests that fail, hang, or lose what they test. */
@Timeout(120)
class AdmissionRunsTest {
    private static final Op<Unary> RELU = OpTable.RELU;

    private final FakeKit kit = new FakeKit();
    private final FakeBackend cpu = new FakeBackend(CPU);

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest(name = "{displayName} ({0})")
    @ValueSource(strings = {"exception", "linkage", "overflow"})
    @DisplayName("D4 O1.11 a test that throws refuses that provider with the reason; the others go on")
    void throwing(String how) throws Exception {
        kit.inside = provider -> {
            if (provider.equals("bad")) {
                switch (how) {
                    case "exception" -> throw new IllegalStateException("no such kernel");
                    case "linkage" -> throw new NoClassDefFoundError("gone");
                    default -> throw new StackOverflowError();
                }
            }
        };
        try (Registry r = registry(QUICK)) {
            r.add(cpu, origin("cpu"));
            r.add(kit, origin("kit"));
            r.add(new FakeProvider("bad", 9), origin("bad"));
            r.add(new FakeProvider("good", 1), origin("good"));
            settle(r);
            assertEquals("good", r.ops().explain(RELU, CPU).selected());
            String reason = link(r, RELU, "bad").reason();
            assertTrue(reason.startsWith("admission: the test threw "), reason);
            assertEquals(2, kit.tested.size());
        }
    }

    @Test
    @SuppressWarnings("NullAway") // that is the fault under test
    @DisplayName("D4 a test kit that answers nothing at all refuses the provider with the reason")
    void answersNull() throws Exception {
        try (Registry r = registry(QUICK)) {
            r.add(cpu, origin("cpu"));
            r.add((backend, provider, kernels, level) -> null, origin("kit"));
            r.add(new FakeProvider("plain", 9), origin("plain"));
            settle(r);
            assertEquals(
                    "admission: the test threw java.lang.NullPointerException: the test kit returned null",
                    link(r, RELU, "plain").reason());
        }
    }

    @Test
    @DisplayName(
            "D4 a test that hangs past its limit refuses that provider, the others go on, and its provider leaves only"
                    + " when the test has ended")
    void hanging() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        kit.inside = provider -> {
            if (provider.equals("bad")) {
                kit.stubborn(release);
            }
        };
        try (Registry r = registry(QUICK.within(Duration.ofSeconds(1)))) {
            r.add(cpu, origin("cpu"));
            r.add(kit, origin("kit"));
            Registry.Handle bad = r.add(new FakeProvider("bad", 9), origin("bad"));
            r.add(new FakeProvider("good", 1), origin("good"));
            settle(r);
            assertEquals("good", r.ops().explain(RELU, CPU).selected());
            assertEquals(
                    "admission: the test did not end within 1 s",
                    link(r, RELU, "bad").reason());
            CountDownLatch removed = removing(bad);
            assertFalse(removed.await(50, TimeUnit.MILLISECONDS));
            release.countDown();
            await(removed);
            assertEquals(
                    List.of("bad cpu:0 QUICK", "good cpu:0 QUICK"),
                    kit.tested.stream().sorted().toList());
        }
    }

    private static CountDownLatch removing(Registry.Handle handle) {
        CountDownLatch removed = new CountDownLatch(1);
        Thread.ofPlatform().start(() -> {
            handle.remove();
            removed.countDown();
        });
        return removed;
    }

    private void leaves(Function<List<Registry.Handle>, Registry.Handle> leaver, String pendingAfter) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        kit.finds("plain", RELU, "wrong");
        kit.inside = provider -> {
            inside.countDown();
            kit.stubborn(release);
        };
        try (Registry r = registry(QUICK)) {
            List<Registry.Handle> handles = List.of(
                    r.add(cpu, origin("cpu")),
                    r.add(kit, origin("kit")),
                    r.add(new FakeProvider("plain", 1), origin("plain")));
            await(inside);
            CountDownLatch removed = removing(leaver.apply(handles));
            while (kit.interrupts.get() == 0) {
                Thread.onSpinWait();
            }
            assertFalse(removed.await(50, TimeUnit.MILLISECONDS), "the test still runs");
            release.countDown();
            await(removed);
            assertEquals(pendingAfter, String.join(", ", r.ops().pendingAdmissions()));
            FakeProvider again = new FakeProvider("plain", 1);
            kit.wrong.clear();
            r.add(cpu, origin("cpu2"));
            r.add(kit, origin("kit2"));
            r.add(again, new Origin("plain", "2.0.0", "plain", "c"));
            settle(r);
            assertEquals("plain", r.ops().explain(RELU, CPU).selected(), "the given-up test left nothing behind");
        }
    }

    @Test
    @DisplayName("D4 S16 a provider that leaves during its test waits for the test, which is interrupted and forgotten")
    void providerLeaves() throws Exception {
        leaves(handles -> handles.get(2), "");
    }

    @Test
    @DisplayName("D4 S16 a backend that leaves during a test waits for the test, which is interrupted and forgotten")
    void backendLeaves() throws Exception {
        leaves(handles -> handles.get(0), "");
    }

    @Test
    @DisplayName("D4 a test kit that leaves during a test waits for the test, and the provider waits for the next kit")
    void kitLeaves() throws Exception {
        leaves(handles -> handles.get(1), "plain on cpu:0: waits for the test kit");
    }

    @Test
    @DisplayName("D4 closing ends the running test and begins no other; no thread is left")
    void closing() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        kit.inside = provider -> {
            inside.countDown();
            try {
                assertFalse(never.await(60, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                throw new IllegalStateException("told to end", e);
            }
        };
        Registry r = registry(QUICK);
        r.add(cpu, origin("cpu"));
        r.add(kit, origin("kit"));
        r.add(new FakeProvider("a", 1), origin("a"));
        r.add(new FakeProvider("b", 1), origin("b"));
        await(inside);
        r.close();
        assertEquals(1, kit.tested.size());
        assertTrue(kit.threads.get(0).join(Duration.ofSeconds(30)));
        assertEquals(
                List.of("a on cpu:0: being tested", "b on cpu:0: being tested"),
                r.ops().pendingAdmissions());
    }

    @Test
    @DisplayName("D4 no test runs on a caller's thread, not even when the table is made there")
    void ownThread() throws Exception {
        try (Registry r = registry(QUICK)) {
            r.add(cpu, origin("cpu"));
            r.add(kit, origin("kit"));
            for (int i = 0; i < 20; i++) {
                r.add(new FakeProvider("p" + i, i), origin("p" + i));
            }
            settle(r);
            assertEquals(20, kit.threads.size());
            kit.threads.forEach(t -> assertNotEquals(Thread.currentThread(), t));
            assertEquals("p19", r.ops().explain(RELU, CPU).selected());
        }
    }

    @RepeatedTest(20)
    @DisplayName(
            "D4 O2.1 providers that come and go while they are tested: what is left is selected as if it had always"
                    + " been there")
    void storm(RepetitionInfo repetition) throws Exception {
        Random random = new Random(repetition.getCurrentRepetition());
        kit.finds("p3", RELU, "wrong");
        try (Registry r = registry(QUICK)) {
            r.add(cpu, origin("cpu"));
            r.add(kit, origin("kit"));
            Thread[] threads = new Thread[4];
            for (int n = 0; n < threads.length; n++) {
                String name = "p" + n;
                int rounds = 5 + random.nextInt(10);
                int priority = n;
                threads[n] = Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < rounds; i++) {
                        r.add(new FakeProvider(name, priority), origin(name)).remove();
                    }
                    r.add(new FakeProvider(name, priority), origin(name));
                });
            }
            for (Thread t : threads) {
                assertTrue(t.join(Duration.ofSeconds(60)));
            }
            settle(r);
            assertEquals("p2", r.ops().explain(RELU, CPU).selected());
            assertEquals("admission: wrong", link(r, RELU, "p3").reason());
        }
    }
}
