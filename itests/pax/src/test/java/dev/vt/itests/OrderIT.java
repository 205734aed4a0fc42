package dev.vt.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.op.Op;
import dev.vt.api.op.ProviderStatus;
import dev.vt.api.op.Selection;
import dev.vt.api.spi.OpProvider;
import dev.vt.ops.OpTable;
import dev.vt.testkit.Eventually;
import dev.vt.testkit.KernelBehaviour;
import dev.vt.testkit.Permutations;
import dev.vt.testkit.Probe;
import dev.vt.testkit.ProviderBundle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Dictionary;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Bundle;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.cm.Configuration;

/** The order of providers that are services of real bundles. */
class OrderIT extends InFramework {
    @Test
    @DisplayName("S1 S2 O1.10 all 120 start orders of five provider bundles give one digest and one story")
    void allStartOrders() throws Exception {
        String without = registry.digest();
        List<ProviderBundle> five = List.of(
                provider("t-low", 5, 1).build(),
                provider("t-equal-a", 50, 2).build(),
                provider("t-equal-b", 50, 3).build(),
                provider("t-same", 70, 4)
                        .symbolicName("test.same.x")
                        .version("1.0.0")
                        .build(),
                provider("t-same", 70, 5)
                        .symbolicName("test.same.y")
                        .version("1.1.0")
                        .build());
        Map<String, List<Integer>> digests = new TreeMap<>();
        Map<List<Selection.Link>, List<Integer>> stories = new HashMap<>();
        List<List<ProviderBundle>> orders = Permutations.of(five).toList();
        assertEquals(120, orders.size());
        for (int i = 0; i < orders.size(); i++) {
            List<Bundle> bundles = new ArrayList<>();
            for (ProviderBundle b : orders.get(i)) {
                bundles.add(install(b));
            }
            digests.computeIfAbsent(registry.digest(), d -> new ArrayList<>()).add(i);
            stories.computeIfAbsent(why().chain(), s -> new ArrayList<>()).add(i);
            assertEquals(5f, call());
            uninstall(bundles.toArray(Bundle[]::new));
        }
        assertEquals(1, digests.size(), digests.toString());
        assertEquals(1, stories.size(), stories.toString());
        assertNotEquals(without, digests.keySet().iterator().next());
        assertEquals(without, registry.digest());
        List<Selection.Link> story = stories.keySet().iterator().next();
        assertEquals(
                List.of("t-same 1.1.0", "t-same 1.0.0", "t-equal-a 1.0.0", "t-equal-b 1.0.0"),
                story.stream().limit(4).map(l -> l.name() + " " + l.version()).toList());
    }

    @Test
    @DisplayName("S2 the second of a name is rejected with the reason, and steps in when the winner leaves")
    void sameName() throws Exception {
        Bundle newer = install(provider("t-same", 70, 5)
                .symbolicName("test.same.y")
                .version("1.1.0")
                .build());
        install(provider("t-same", 70, 4)
                .symbolicName("test.same.x")
                .version("1.0.0")
                .build());
        Selection.Link second = link(l -> l.bundle().equals("test.same.x"));
        assertEquals(Selection.State.REJECTED, second.state());
        assertEquals("second of the name 't-same'; test.same.y 1.1.0 wins", second.reason());
        assertEquals(5f, call());
        newer.stop();
        assertEquals(4f, call());
        newer.start();
        assertEquals(5f, call());
    }

    @Test
    @DisplayName("O2.3 priority decides, service.ranking has no effect")
    void ranking() throws Exception {
        install(provider("t-a", -1000, 1).property("service.ranking", 1000).build());
        install(provider("t-b", 0, 2).property("service.ranking", 0).build());
        install(provider("t-c", 50, 3).property("service.ranking", -1000).build());
        assertEquals(List.of("t-c", "t-b", "t-a"), chain("t-"));
        assertEquals(3f, call());
    }

    @Test
    @DisplayName(
            "O2.4 a better provider that arrives later wins at the next call; a call begun before ends on the old one")
    void laterIsBetter() throws Exception {
        try (Probe probe = Probe.open();
                Caller caller = new Caller(cpu());
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            install(bare("t-old")
                    .priority(60)
                    .probe(probe)
                    .kernel(OpTable.MATMUL_BT, KernelBehaviour.blocks(1))
                    .build());
            Future<Float> begun = thread.submit(() -> caller.call(ops));
            probe.awaitEntered(SOON);
            install(provider("t-new", 70, 2).build());
            assertEquals("t-new", selected());
            assertEquals(2f, call());
            probe.release();
            assertEquals(1f, begun.get());
            assertEquals(1, probe.calls());
        }
    }

    @Test
    @DisplayName("S8 O2.5 int, long and numeric text are priorities; all else is rejected by name, never silently 0")
    void oddPriorities() throws Exception {
        for (Object good : List.of("50", 50L, 50)) {
            Bundle b = install(bare("t-good")
                    .priority(good)
                    .kernel(OpTable.MATMUL_BT, KernelBehaviour.constant(1))
                    .build());
            assertEquals(50, status("t-good").priority(), good.getClass().getName());
            assertEquals(Selection.State.SELECTED, status("t-good").state());
            uninstall(b);
        }
        Map<Object, String> bad = Map.of(
                50.0,
                "'50.0' (Double)",
                "fifty",
                "'fifty' (String)",
                5_000_000_000L,
                "'5000000000' (Long)",
                new int[] {50, 60},
                "'an array' (");
        for (Map.Entry<Object, String> e : bad.entrySet()) {
            Bundle b = install(bare("t-bad")
                    .priority(e.getKey())
                    .kernel(OpTable.MATMUL_BT, KernelBehaviour.constant(1))
                    .build());
            ProviderStatus status = status("t-bad");
            assertEquals(Selection.State.REJECTED, status.state(), e.getValue());
            assertTrue(status.reason().contains(e.getValue()), status.reason());
            assertEquals("test.provider.t-bad", status.bundle());
            assertNotEquals("t-bad", selected());
            uninstall(b);
        }
    }

    @Test
    @DisplayName("O2.5 without the property the provider's own priority() counts")
    void noProperty() throws Exception {
        install(provider("t-own", 77, 1).withoutProviderProperties().build());
        assertEquals(77, status("t-own").priority());
        assertEquals("t-own", selected());
    }

    @Test
    @DisplayName("S9 O2.6 a priority changed by configuration re-orders at once, and the op never is without a kernel")
    void configuredPriority() throws Exception {
        install(provider("t-one", 60, 1).build());
        install(provider("t-two", 50, 2).build());
        AtomicBoolean end = new AtomicBoolean();
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<Long> reader = thread.submit(() -> {
                long looks = 0;
                while (!end.get()) {
                    assertTrue(registry.registered(OpTable.MATMUL_BT, CPU), "a gap");
                    assertNotEquals(null, selected(), "a gap");
                    looks++;
                }
                return looks;
            });
            Configuration configuration = configurations().getConfiguration(component("t-two"), null);
            try {
                for (int i = 0; i < 10; i++) {
                    configuration.update(priority(i % 2 == 0 ? 80 : 40));
                    awaitSelected(i % 2 == 0 ? "t-two" : "t-one");
                }
            } finally {
                configuration.delete();
                end.set(true);
            }
            assertTrue(reader.get() > 0);
        }
        // A component without a method for changes is made anew, so for a moment it may be in no list.
        Eventually.within(SOON)
                .holds(
                        "the old priority",
                        () -> registry.providers().stream()
                                .anyMatch(p -> p.name().equals("t-two") && p.priority() == 50));
    }

    @ParameterizedTest(name = "S9 O2.6 {0} takes a configured priority without leaving: its ops are never gone")
    @CsvSource({"vt-native, relu", "vector, matmul_bt_quant"})
    void ownPriorities(String name, String opName) throws Exception {
        Op<?> op = OpTable.get(opName);
        int priority = status(name).priority();
        AtomicBoolean end = new AtomicBoolean();
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<Long> reader = thread.submit(() -> {
                long looks = 0;
                while (!end.get()) {
                    List<Selection.Link> chain = registry.explain(op, CPU).chain();
                    assertTrue(chain.stream().anyMatch(l -> l.name().equals(name)), "a gap");
                    looks++;
                }
                return looks;
            });
            Configuration configuration = configurations().getConfiguration(component(name), null);
            try {
                for (int i = 1; i <= 10; i++) {
                    int wanted = priority + i;
                    configuration.update(priority(wanted));
                    Eventually.within(SOON).see("priority", () -> status(name).priority(), p -> p == wanted);
                }
            } finally {
                configuration.delete();
            }
            Eventually.within(SOON).see("the old priority", () -> status(name).priority(), p -> p == priority);
            end.set(true);
            assertTrue(reader.get() > 0);
        }
    }

    /** The name of a provider's component, which is the PID of its configuration. */
    private String component(String provider) throws Exception {
        return context.getServiceReferences(OpProvider.class, "(vt.provider.name=" + provider + ")")
                .iterator()
                .next()
                .getProperty("component.name")
                .toString();
    }

    private static Dictionary<String, Object> priority(int value) {
        return new Hashtable<>(Map.of("vt.provider.priority", value));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    @DisplayName("O2.1 after a storm of services from ten threads the order is that of a plain sort")
    void storm(long seed) throws Exception {
        // Packages of the test's own bundle are wired when they are first used: once, and not by ten threads at a time.
        assertEquals(1, new PlainProvider("first", 0).kernels().asMap().size());
        Map<String, Integer> left = new ConcurrentSkipListMap<>();
        List<ServiceRegistration<OpProvider>> registrations = Collections.synchronizedList(new ArrayList<>());
        try (ExecutorService threads = Executors.newFixedThreadPool(10)) {
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < 10; t++) {
                int thread = t;
                running.add(threads.submit(() -> {
                    Random random = new Random(seed * 100 + thread);
                    for (int i = 0; i < 12; i++) {
                        String name = "s-" + thread + "-" + i;
                        int priority = random.nextInt(-9, 10);
                        ServiceRegistration<OpProvider> r = register(name, priority);
                        if (random.nextBoolean()) {
                            r.unregister();
                        } else {
                            registrations.add(r);
                            left.put(name, priority);
                        }
                    }
                }));
            }
            for (Future<?> f : running) {
                f.get();
            }
        }
        List<String> expected = left.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getKey)
                .toList();
        assertEquals(expected, chain("s-"), "seed " + seed);
        registrations.forEach(ServiceRegistration::unregister);
        assertEquals(List.of(), chain("s-"));
    }

    private ServiceRegistration<OpProvider> register(String name, int priority) {
        PlainProvider provider = new PlainProvider(name, priority);
        return context.registerService(OpProvider.class, provider, provider.properties());
    }
}
