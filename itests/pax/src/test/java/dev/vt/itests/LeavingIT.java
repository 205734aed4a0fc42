package dev.vt.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Graph;
import dev.vt.api.device.StaleGraphException;
import dev.vt.api.spi.OpProvider;
import dev.vt.ops.OpTable;
import dev.vt.testkit.Eventually;
import dev.vt.testkit.KernelBehaviour;
import dev.vt.testkit.Probe;
import dev.vt.testkit.ProviderBundle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;
import org.osgi.framework.ServiceFactory;
import org.osgi.framework.ServiceRegistration;

/** Providers that leave, are replaced and come back while they are used. */
class LeavingIT extends InFramework {
    /** Rounds of the load test; each does five changes to a generated provider and five to vector. */
    private static final int ROUNDS = 12;

    @Test
    @DisplayName(
            "S16 O2.2 show d: bundles come, go and are replaced 120 times under load, and every call is served once")
    void underLoad() throws Exception {
        try (Probe probe = Probe.open();
                Load load = new Load(3, 3)) {
            ProviderBundle first = provider("t-x", 90, 1).probe(probe).build();
            ProviderBundle second =
                    provider("t-x", 90, 2).version("1.1.0").probe(probe).build();
            String digest = registry.digest();
            registry.resetStats(OpTable.MATMUL_BT, CPU);
            registry.countCalls(true);
            load.start();
            for (int i = 0; i < ROUNDS; i++) {
                Bundle b = install(first);
                load.awaitMore();
                update(b, second);
                load.awaitMore();
                registry.disable("t-x");
                registry.enable("t-x");
                load.awaitMore();
                Bundle vector = bundle("dev.vt.provider.vector");
                vector.stop();
                load.awaitMore();
                vector.start();
                uninstall(b);
                load.awaitMore();
                vector.update();
                load.awaitMore();
                uninstall(vector);
                load.awaitMore();
                context.installBundle(vector.getLocation()).start();
                load.awaitMore();
            }
            long calls = load.end();
            assertEquals(calls, registry.stats(OpTable.MATMUL_BT, CPU).selections());
            assertEquals(0, registry.stats(OpTable.MATMUL_BT, CPU).fallbacks());
            assertTrue(probe.calls() > 0 && probe.calls() < calls, probe.calls() + " of " + calls);
            assertEquals(2L * ROUNDS, probe.made());
            assertEquals(digest, registry.digest());
        }
    }

    /** Threads of both kinds that call one op until told to end, and fail on any wrong result. */
    private final class Load implements AutoCloseable {
        private final int platform;
        private final int virtual;
        private final AtomicBoolean end = new AtomicBoolean();
        private final AtomicLong calls = new AtomicLong();
        private final ExecutorService platformThreads = Executors.newCachedThreadPool();
        private final ExecutorService virtualThreads = Executors.newVirtualThreadPerTaskExecutor();
        private final List<Future<?>> running = new ArrayList<>();

        Load(int platform, int virtual) {
            this.platform = platform;
            this.virtual = virtual;
        }

        void start() {
            for (int i = 0; i < platform; i++) {
                running.add(platformThreads.submit(this::loop));
            }
            for (int i = 0; i < virtual; i++) {
                running.add(virtualThreads.submit(this::loop));
            }
        }

        private void loop() {
            try (Caller caller = new Caller(cpu())) {
                while (!end.get()) {
                    float result = caller.call(ops);
                    calls.incrementAndGet();
                    if (result != 1 && result != 2 && result != Caller.RIGHT) {
                        throw new AssertionError("a call gave " + result);
                    }
                }
            }
        }

        /** Waits until each change has been under load, and fails early if a thread has failed. */
        void awaitMore() throws Exception {
            long wanted = calls.get() + 20;
            Eventually.within(SOON).holds("more calls", () -> {
                for (Future<?> f : running) {
                    if (f.isDone()) {
                        f.get();
                    }
                }
                return calls.get() >= wanted;
            });
        }

        long end() throws Exception {
            end.set(true);
            for (Future<?> f : running) {
                f.get(SOON.toSeconds(), TimeUnit.SECONDS);
            }
            return calls.get();
        }

        @Override
        public void close() {
            end.set(true);
            platformThreads.close();
            virtualThreads.close();
        }
    }

    @Test
    @DisplayName(
            "S16 O1.9 stopping a bundle waits for the call inside its kernel, which ends on it; later ones take the "
                    + "next")
    void stopWaits() throws Exception {
        try (Probe probe = Probe.open();
                Caller caller = new Caller(cpu());
                ExecutorService threads = Executors.newCachedThreadPool()) {
            Bundle b = install(bare("t-slow")
                    .priority(90)
                    .probe(probe)
                    .kernel(OpTable.MATMUL_BT, KernelBehaviour.blocks(1))
                    .build());
            Future<Float> inside = threads.submit(() -> caller.call(ops));
            probe.awaitEntered(SOON);
            Future<?> stopping = threads.submit(() -> {
                b.stop();
                return null;
            });
            awaitSelected("vector");
            assertEquals(Caller.RIGHT, call());
            assertFalse(stopping.isDone());
            assertEquals(0, probe.deactivated());
            probe.release();
            assertEquals(1f, inside.get());
            stopping.get();
            assertEquals(1, probe.deactivated());
            assertEquals(1, probe.calls());
        }
    }

    @Test
    @DisplayName("O1.9 a bundle stopped in the middle of 1000 calls leaves no error and no thread")
    void stoppedInTheMiddle() throws Exception {
        Bundle b = install(provider("t-x", 90, 1).build());
        CountDownLatch half = new CountDownLatch(500);
        try (Caller caller = new Caller(cpu());
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<Integer> old = thread.submit(() -> {
                int served = 0;
                for (int i = 0; i < 1000; i++) {
                    served += caller.call(ops) == 1 ? 1 : 0;
                    half.countDown();
                }
                return served;
            });
            assertTrue(half.await(SOON.toSeconds(), TimeUnit.SECONDS));
            b.stop();
            int served = old.get();
            assertTrue(served >= 500 && served <= 1000, "served by the old one: " + served);
        }
        assertEquals(Caller.RIGHT, call());
        assertTrue(Thread.getAllStackTraces().keySet().stream()
                .noneMatch(t -> t.getName().contains("t-x")));
    }

    @Test
    @DisplayName("S17 a graph with a kernel of a removed bundle refuses to replay and names it; capturing again works")
    void graphs() throws Exception {
        Bundle b = install(provider("t-x", 90, 1).build());
        try (Caller caller = new Caller(cpu())) {
            caller.queue.beginCapture();
            caller.submit(ops);
            try (Graph graph = caller.queue.endCapture()) {
                assertEquals(
                        List.of("t-x"),
                        graph.owners().stream().map(o -> o.name()).toList());
                graph.replay(caller.queue);
                caller.queue.synchronize();
                assertEquals(1f, caller.result());
                uninstall(b);
                String message = assertThrows(StaleGraphException.class, () -> graph.replay(caller.queue))
                        .getMessage();
                assertTrue(message.contains("t-x") && message.contains("capture again"), message);
            }
            caller.queue.beginCapture();
            caller.submit(ops);
            try (Graph graph = caller.queue.endCapture()) {
                graph.replay(caller.queue);
                caller.queue.synchronize();
                assertEquals(Caller.RIGHT, caller.result());
            }
        }
    }

    @Test
    @DisplayName("S18 O1.8 after an update of its bundle the old kernel is never called again")
    void staleKernels() throws Exception {
        try (Probe before = Probe.open();
                Probe after = Probe.open()) {
            Bundle b = install(provider("t-x", 90, 1).probe(before).build());
            assertEquals(1f, call());
            update(b, provider("t-x", 90, 2).version("1.1.0").probe(after).build());
            assertEquals(2f, call());
            assertEquals("1.1.0", link("t-x").version());
            assertEquals(List.of(1L, 1L), List.of(before.calls(), after.calls()));
            uninstall(b);
            assertEquals(Caller.RIGHT, call());
            assertEquals(List.of(1L, 1L), List.of(before.calls(), after.calls()));
        }
    }

    @Test
    @DisplayName("O1.5 providers that block until another thread has asked the registry never hold it up")
    void noLockOverForeignCode() throws Exception {
        AtomicLong asked = new AtomicLong();
        AtomicBoolean end = new AtomicBoolean();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Future<?> asking = threads.submit(() -> {
                while (!end.get()) {
                    registry.providers();
                    registry.explain(OpTable.MATMUL_BT, CPU);
                    registry.policy(CPU);
                    asked.incrementAndGet();
                }
            });
            try {
                List<Future<?>> registering = List.of(
                        threads.submit(() -> registerOften("t-left", asked)),
                        threads.submit(() -> registerOften("t-right", asked)));
                for (Future<?> f : registering) {
                    f.get(60, TimeUnit.SECONDS);
                }
            } catch (TimeoutException e) {
                StringBuilder dump = new StringBuilder("no progress\n");
                Thread.getAllStackTraces()
                        .forEach((t, stack) ->
                                dump.append(t).append(List.of(stack)).append('\n'));
                throw new AssertionError(dump.toString(), e);
            } finally {
                end.set(true);
            }
            asking.get();
        }
        assertEquals(List.of(), chain("t-"));
    }

    private void registerOften(String name, AtomicLong asked) {
        PlainProvider provider = new PlainProvider(name, 5);
        ServiceFactory<OpProvider> factory = new ServiceFactory<>() {
            @Override
            public OpProvider getService(Bundle bundle, ServiceRegistration<OpProvider> registration) {
                awaitAsked();
                return provider;
            }

            @Override
            public void ungetService(Bundle bundle, ServiceRegistration<OpProvider> registration, OpProvider service) {
                awaitAsked();
            }

            /** Waits for two further rounds, since the first of them may have begun before. */
            private void awaitAsked() {
                long now = asked.get();
                Eventually.within(SOON).holds("another thread asks the registry", () -> asked.get() >= now + 2);
            }
        };
        for (int i = 0; i < 100; i++) {
            ServiceRegistration<OpProvider> registration =
                    context.registerService(OpProvider.class, factory, provider.properties());
            Eventually.within(SOON).holds(name + " is listed", () -> chain().contains(name));
            registration.unregister();
            assertFalse(chain().contains(name));
        }
    }
}
