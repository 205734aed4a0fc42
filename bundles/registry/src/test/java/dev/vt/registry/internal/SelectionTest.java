package dev.vt.registry.internal;

import static dev.vt.registry.internal.Doubles.CPU;
import static dev.vt.registry.internal.Doubles.XPU;
import static dev.vt.registry.internal.Doubles.cpuRegistry;
import static dev.vt.registry.internal.Doubles.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.op.NoKernelException;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpLease;
import dev.vt.api.op.ProviderStatus;
import dev.vt.api.op.Selection;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Unary;
import dev.vt.registry.internal.Doubles.FakeBackend;
import dev.vt.registry.internal.Doubles.FakeProvider;
import dev.vt.registry.internal.Doubles.FakeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Order and eligibility. */
class SelectionTest {
    private static final Op<Unary> RELU = OpTable.RELU;

    private static List<String> names(Registry r) {
        return r.ops().explain(RELU, CPU).chain().stream()
                .map(Selection.Link::name)
                .toList();
    }

    static <T> List<List<T>> permutations(List<T> items) {
        if (items.isEmpty()) {
            return List.of(List.of());
        }
        List<List<T>> out = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            List<T> rest = new ArrayList<>(items);
            T first = rest.remove(i);
            for (List<T> tail : permutations(rest)) {
                List<T> one = new ArrayList<>(List.of(first));
                one.addAll(tail);
                out.add(one);
            }
        }
        return out;
    }

    private record Given(String name, int priority, String bundle) {}

    @Test
    @DisplayName("S1 S2 O1.10 all 120 orders of five providers, two of equal priority and two of one name, give one"
            + " selection")
    void permuted() {
        List<Given> five = List.of(
                new Given("b", 10, "bundle.b"),
                new Given("a", 10, "bundle.a"),
                new Given("twice", 50, "bundle.z"),
                new Given("twice", 40, "bundle.y"),
                new Given("low", -5, "bundle.low"));
        Set<String> digests = new HashSet<>();
        for (List<Given> order : permutations(five)) {
            Registry r = cpuRegistry();
            order.forEach(g -> r.add(new FakeProvider(g.name, g.priority), origin(g.bundle)));
            digests.add(r.ops().digest());
            assertEquals(List.of("twice", "twice", "a", "b", "low"), names(r));
            assertEquals("twice", r.ops().explain(RELU, CPU).selected());
            assertEquals("bundle.y", link(r, Selection.State.SELECTED).bundle(), "the smaller symbolic name wins");
            assertEquals("bundle.z", link(r, Selection.State.REJECTED).bundle());
        }
        assertEquals(1, digests.size());
    }

    private static Selection.Link link(Registry r, Selection.State state) {
        return r.ops().explain(RELU, CPU).chain().stream()
                .filter(l -> l.state() == state)
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("S2 of one name the higher version wins, and the loser steps in when the winner leaves")
    void duplicateName() {
        Registry r = cpuRegistry();
        Registry.Handle winner = r.add(new FakeProvider("same", 1), new Origin("z", "1.10.0", "", "c"));
        r.add(new FakeProvider("same", 100), new Origin("a", "1.9.0", "", "c"));
        assertEquals("z", link(r, Selection.State.SELECTED).bundle());
        assertTrue(link(r, Selection.State.REJECTED).reason().contains("second of the name 'same'; z 1.10.0 wins"));
        winner.remove();
        assertEquals("a", link(r, Selection.State.SELECTED).bundle());
    }

    @Test
    @DisplayName("S2 S15 below a name that two have is below the one that is in use, never itself")
    void belowOneOfTwo() {
        Registry r = cpuRegistry();
        r.add(new FakeProvider("same", 20), new Origin("a", "1.0.0", "", "c"));
        r.add(new FakeProvider("same", 5), new Origin("b", "1.1.0", "", "c"));
        r.add(new FakeProvider("low", 0), origin("low"));
        try (OpLease<Unary> lease = r.ops().below(RELU, CPU, "same")) {
            assertEquals("low", lease.provider());
        }
    }

    @Test
    @DisplayName("S2 two providers that nothing tells apart are both rejected, whatever came first")
    void ambiguous() {
        Registry r = cpuRegistry();
        r.add(new FakeProvider("same", 1), origin("one"));
        r.add(new FakeProvider("same", 2), origin("one"));
        assertNull(r.ops().explain(RELU, CPU).selected());
        assertTrue(r.ops().explain(RELU, CPU).chain().stream()
                .allMatch(l -> l.reason().startsWith("ambiguous")));
    }

    @Test
    @DisplayName("O2.3 the order is priority descending whatever the order of arrival; names compare by their bytes")
    void order() {
        Registry r = cpuRegistry();
        for (String n : List.of("z9", "a-", "a.", "a0", "aa")) {
            r.add(new FakeProvider(n, 0), origin(n));
        }
        r.add(new FakeProvider("minus", -1000), origin("m"));
        r.add(new FakeProvider("fifty", 50), origin("f"));
        assertEquals(List.of("fifty", "a-", "a.", "a0", "aa", "z9", "minus"), names(r));
    }

    @Test
    @DisplayName("O2.7 priorities use the full range of int, in all orders, and ten thousand random ones sort as a"
            + " reference does")
    void fullRange() {
        List<Integer> edge = List.of(Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE);
        for (List<Integer> order : permutations(edge)) {
            Registry r = cpuRegistry();
            order.forEach(p -> r.add(new FakeProvider("p" + edge.indexOf(p), p), origin("b" + p)));
            assertEquals(List.of("p4", "p3", "p2", "p1", "p0"), names(r));
        }
        Random random = new Random(7);
        List<ProviderEntry> entries = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            FakeProvider p = new FakeProvider("n" + random.nextInt(5000), random.nextInt());
            ProviderEntry e = new ProviderEntry(new FakeSource(Map.of(), origin("b" + i), p));
            e.facts = e.load();
            entries.add(e);
        }
        List<ProviderEntry> sorted = new ArrayList<>(entries);
        sorted.sort(TableBuilder.ORDER);
        for (int i = 1; i < sorted.size(); i++) {
            long a = sorted.get(i - 1).facts.priority();
            long b = sorted.get(i).facts.priority();
            assertTrue(a > b
                    || a == b
                            && sorted.get(i - 1).name().compareTo(sorted.get(i).name()) <= 0);
        }
    }

    @Test
    @DisplayName("S3 a predicate is asked once for each publication of caps and never on a call")
    void predicateOnce() {
        Registry r = cpuRegistry();
        FakeProvider p = new FakeProvider("p", 0);
        r.add(p, origin("p"));
        r.add(new FakeProvider("q", 1), origin("q"));
        r.ops().disable("q");
        r.ops().enable("q");
        assertEquals(1, p.asked.get());
        r.ops().publishCaps(new ProviderCaps(CPU, true, 9, 1, 4, 0));
        assertEquals(2, p.asked.get());
    }

    @Test
    @DisplayName("S4 O1.11 a predicate that throws refuses its provider with the exception and nobody else")
    void throwingPredicate() {
        Registry r = cpuRegistry();
        r.add(
                new FakeProvider("bad", 9).needs(c -> {
                    throw new NoClassDefFoundError("gone/Away");
                }),
                origin("bad"));
        r.add(new FakeProvider("good", 1), origin("good"));
        assertEquals("good", r.ops().explain(RELU, CPU).selected());
        Selection.Link bad = link(r, Selection.State.REFUSED);
        assertTrue(bad.reason().contains("supports() threw: NoClassDefFoundError: gone/Away"), bad.reason());
    }

    @Test
    @DisplayName(
            "S5 S6 caps decide; publishing them again re-evaluates and restoring restores; two devices select apart")
    void caps() {
        Registry r = cpuRegistry();
        Device one = Device.of(XPU, 1);
        FakeBackend second = new FakeBackend(one);
        second.caps = new ProviderCaps(one, true, 12, 0, 1, 0);
        r.add(new FakeBackend(Device.of(XPU)), origin("x0"));
        r.add(second, origin("x1"));
        r.add(new FakeProvider("big", 5, XPU).needs(c -> c.valid() && c.atLeast(10, 0)), origin("big"));
        r.add(new FakeProvider("any", 0, XPU), origin("any"));
        assertEquals("any", r.ops().explain(RELU, Device.of(XPU)).selected());
        assertEquals("big", r.ops().explain(RELU, one).selected());
        r.ops().publishCaps(new ProviderCaps(Device.of(XPU), true, 10, 3, 1, 0));
        assertEquals("big", r.ops().explain(RELU, Device.of(XPU)).selected());
        r.ops().publishCaps(new ProviderCaps(Device.of(XPU), true, 9, 9, 1, 0));
        assertEquals("any", r.ops().explain(RELU, Device.of(XPU)).selected());
    }

    @ParameterizedTest
    @ValueSource(strings = {"7.5", "8.9", "9.0", "10.0", "10.3", "12.0", "12.1"})
    @DisplayName("O3.10 capabilities compare as numbers")
    void capability(String text) {
        String[] parts = text.split("\\.");
        ProviderCaps caps = new ProviderCaps(CPU, true, Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), 1, 0);
        assertEquals(Double.parseDouble(parts[0]) >= 9, caps.atLeast(9, 0));
        assertTrue(caps.atLeast(7, 5));
    }

    @Test
    @DisplayName("S7 nothing eligible: one sentence with op, device and every provider considered")
    void noKernel() {
        Registry r = cpuRegistry();
        assertTrue(assertThrows(NoKernelException.class, () -> r.ops().acquire(RELU, CPU))
                .getMessage()
                .contains("op relu on cpu:0"));
        r.add(new FakeProvider("a", 1).needs(c -> false), origin("a"));
        r.add(new FakeProvider("b", 1), origin("b"));
        r.ops().disable("b");
        String said = assertThrows(NoKernelException.class, () -> r.ops().acquire(RELU, CPU))
                .getMessage();
        assertTrue(said.contains("a (refused: needs what supports() asks for)"), said);
        assertTrue(said.contains("b (disabled: disabled by name)"), said);
        assertTrue(said.contains("vt-cpu-ref (not eligible: the CPU itself has no reference tier)"), said);
        assertEquals(2, r.ops().stats(RELU, CPU).fallbacks());
    }

    static Stream<Object> goodPriorities() {
        return Stream.of(50, 50L, "50", " 50 ");
    }

    @ParameterizedTest
    @MethodSource("goodPriorities")
    @DisplayName("S8 O2.5 int, long and numeric text are priorities")
    void priorityTypes(Object value) {
        Registry r = cpuRegistry();
        r.add(new FakeSource(Map.of("vt.provider.priority", value), origin("p"), new FakeProvider("p", 1)));
        assertEquals(50, r.ops().explain(RELU, CPU).chain().get(0).priority());
    }

    static Stream<Object[]> badPriorities() {
        return Stream.of(50.0, "fifty", "50.0", "", new int[] {50}, 5_000_000_000L, true, Doubles.class)
                .map(v -> new Object[] {v});
    }

    @ParameterizedTest
    @MethodSource("badPriorities")
    @DisplayName("S8 O2.5 anything else is rejected with what was given; the others go on")
    void badPriority(Object value) {
        assertPriorityRejected(value);
    }

    @Test
    @DisplayName("S8 O2.5 a priority of null is rejected")
    void nullPriority() {
        assertPriorityRejected(null);
    }

    private static void assertPriorityRejected(Object value) {
        Registry r = cpuRegistry();
        Map<String, Object> properties = new HashMap<>();
        properties.put("vt.provider.priority", value);
        r.add(new FakeSource(properties, origin("p"), new FakeProvider("p", 1)));
        r.add(new FakeProvider("good", 0), origin("good"));
        assertEquals("good", r.ops().explain(RELU, CPU).selected());
        ProviderStatus p = r.ops().providers().stream()
                .filter(s -> s.bundle().equals("p"))
                .findFirst()
                .orElseThrow();
        assertEquals(Selection.State.REJECTED, p.state());
        assertTrue(p.reason().contains("its priority: expected an int"), p.reason());
    }

    @Test
    @DisplayName("S9 O2.6 a priority changed at run time re-orders at once")
    void changedPriority() {
        Registry r = cpuRegistry();
        Registry.Handle a =
                r.add(new FakeSource(Map.of("vt.provider.priority", 1), origin("a"), new FakeProvider("a", 0)));
        r.add(new FakeSource(Map.of("vt.provider.priority", 2), origin("b"), new FakeProvider("b", 0)));
        assertEquals(List.of("b", "a"), names(r));
        a.modify(Map.of("vt.provider.priority", "3"));
        assertEquals(List.of("a", "b"), names(r));
        a.modify(Map.of("vt.provider.priority", "x"));
        assertEquals("b", r.ops().explain(RELU, CPU).selected());
        a.modify(Map.of("vt.provider.priority", 9));
        assertEquals("a", r.ops().explain(RELU, CPU).selected());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Upper",
                "under_score",
                "with space",
                "ä",
                "x123456789x123456789x123456789x123456789x123456789x123456789xxxx"
            })
    @DisplayName("S10 a name outside [a-z0-9.-]{1,63} is rejected with the reason")
    void badName(String name) {
        Registry r = cpuRegistry();
        r.add(new FakeProvider(name, 100), origin("bad"));
        r.add(new FakeProvider("good", 0), origin("good"));
        assertEquals("good", r.ops().explain(RELU, CPU).selected());
        assertTrue(link(r, Selection.State.REJECTED).reason().contains("not 1 to 63 characters"));
    }

    /** A provider that throws in one of its methods. */
    private static OpProvider throwing(String where, Throwable what) {
        return new OpProvider() {
            private void maybe(String here) {
                if (here.equals(where)) {
                    SelectionTest.<RuntimeException>sneak(what);
                }
            }

            @Override
            public String name() {
                maybe("name");
                return "thrower";
            }

            @Override
            public int priority() {
                maybe("priority");
                return 100;
            }

            @Override
            public DeviceType deviceType() {
                maybe("deviceType");
                return DeviceType.CPU;
            }

            @Override
            public boolean supports(ProviderCaps caps) {
                maybe("supports");
                return true;
            }

            @Override
            public KernelSet kernels() {
                maybe("kernels");
                return KernelSet.builder().put(RELU, (q, out, x) -> null).build();
            }
        };
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable t) throws T {
        throw (T) t;
    }

    @ParameterizedTest
    @ValueSource(strings = {"name", "priority", "deviceType", "supports", "kernels"})
    @DisplayName("S10 O1.11 a provider that throws from any method is out with the reason; the other four are listed")
    void throwsAnywhere(String where) {
        for (Throwable what :
                List.of(new IllegalStateException("boom"), new LinkageError("boom"), new StackOverflowError("boom"))) {
            Registry r = cpuRegistry();
            r.add(new FakeProvider("a", 1), origin("a"));
            r.add(new FakeProvider("b", 2), origin("b"));
            r.add(throwing(where, what), origin("thrower"));
            r.add(new FakeProvider("c", 3), origin("c"));
            r.add(new FakeProvider("d", 4), origin("d"));
            Selection s = r.ops().explain(RELU, CPU);
            assertEquals("d", s.selected());
            assertEquals(
                    4,
                    s.chain().stream()
                            .filter(l -> l.state() == Selection.State.BELOW || l.state() == Selection.State.SELECTED)
                            .count());
            ProviderStatus out = r.ops().providers().stream()
                    .filter(p -> p.bundle().equals("thrower"))
                    .findFirst()
                    .orElseThrow();
            assertTrue(
                    out.reason().contains("failed: " + where + "() threw")
                            && out.reason().contains("boom"),
                    out.reason());
        }
    }

    @Test
    @DisplayName("S10 a null kernel rejects its provider; many providers of one op are no trouble")
    void nullKernelAndMany() {
        Registry r = cpuRegistry();
        r.add(nullKernel(), origin("nulls"));
        for (int i = 0; i < 50; i++) {
            r.add(new FakeProvider("p" + i, i), origin("b" + i));
        }
        assertEquals("p49", r.ops().explain(RELU, CPU).selected());
        assertEquals(50, r.ops().providerCount(RELU, CPU));
        assertTrue(r.ops().providers().stream()
                .anyMatch(p ->
                        p.state() == Selection.State.REJECTED && p.reason().contains("the kernel of op relu is null")));
    }

    private static OpProvider nullKernel() {
        return new OpProvider() {
            @Override
            public String name() {
                return "nulls";
            }

            @Override
            public int priority() {
                return 100;
            }

            @Override
            public DeviceType deviceType() {
                return DeviceType.CPU;
            }

            @Override
            @SuppressWarnings("NullAway") // the fault under test
            public KernelSet kernels() {
                return KernelSet.builder().put(RELU, null).build();
            }
        };
    }

    @Test
    @DisplayName("S11 probes never throw and give names in selection order whatever their eligibility")
    void probes() {
        Registry r = cpuRegistry();
        assertFalse(r.ops().registered(RELU, CPU));
        assertEquals(0, r.ops().providerCount(RELU, CPU));
        assertNull(r.ops().providerNameAt(RELU, CPU, 0));
        r.add(new FakeProvider("a", 1), origin("a"));
        r.add(new FakeProvider("b", 5), origin("b"));
        r.ops().disable("b");
        assertTrue(r.ops().registered(RELU, CPU));
        assertEquals("b", r.ops().providerNameAt(RELU, CPU, 0));
        assertEquals("a", r.ops().providerNameAt(RELU, CPU, 1));
        assertNull(r.ops().providerNameAt(RELU, CPU, 2));
        assertNull(r.ops().providerNameAt(RELU, CPU, -1));
        assertFalse(r.ops().registered(RELU, Device.of(XPU, 15)));
    }

    @Test
    @DisplayName("S20 O3.4 a provider disabled before it comes is never made; enabling makes it once")
    void disabledIsNotMade() {
        Registry r = new Registry(new Settings(Settings.names(" a , ,b"), false, null));
        r.add(new FakeBackend(CPU), origin("cpu"));
        FakeProvider p = new FakeProvider("a", 1);
        FakeSource source =
                new FakeSource(Map.of("vt.provider.name", "a", "vt.provider.device", "cpu"), origin("a"), p);
        r.add(source);
        assertEquals(0, source.made().get());
        assertEquals(0, p.asked.get());
        ProviderStatus s = r.ops().providers().get(0);
        assertEquals(Selection.State.DISABLED, s.state());
        assertTrue(r.ops().enable("a"));
        assertEquals(1, source.made().get());
        assertEquals("a", r.ops().explain(RELU, CPU).selected());
        assertFalse(r.ops().enable("a"), "idempotent");
        assertTrue(r.ops().disable("a"));
        assertTrue(r.ops().disable("a"));
        assertFalse(r.ops().disable("nobody"), "a name that matches nothing is told");
        assertEquals(List.of("a", "b", "nobody"), List.copyOf(r.ops().disabled()));
        assertEquals(1, source.made().get());
    }

    @Test
    @DisplayName("S10 a declared name or device that the instance contradicts is a fault")
    void contradiction() {
        Registry r = cpuRegistry();
        r.add(new FakeSource(Map.of("vt.provider.name", "x"), origin("a"), new FakeProvider("y", 1)));
        r.add(new FakeSource(Map.of("vt.provider.device", "cuda"), origin("b"), new FakeProvider("z", 1)));
        r.add(new FakeProvider("vt-cpu-ref", 1), origin("c"));
        List<String> reasons = r.ops().providers().stream()
                .map(ProviderStatus::reason)
                .sorted()
                .toList();
        assertTrue(
                reasons.get(0).contains("its deviceType() is 'cpu' but its property vt.provider.device is 'cuda'"),
                reasons.toString());
        assertTrue(
                reasons.get(1).contains("its name() is 'y' but its property vt.provider.name is 'x'"),
                reasons.toString());
        assertTrue(reasons.get(2).contains("belongs to the reference tier"), reasons.toString());
    }

    @Test
    @DisplayName("S25 two registries that would choose alike have one digest, others have another")
    void digest() {
        Registry a = cpuRegistry();
        Registry b = cpuRegistry();
        assertEquals(a.ops().digest(), b.ops().digest());
        a.add(new FakeProvider("p", 1), origin("p"));
        assertFalse(a.ops().digest().equals(b.ops().digest()));
        b.add(new FakeProvider("p", 1), origin("p"));
        assertEquals(a.ops().digest(), b.ops().digest());
        a.ops().countCalls(true);
        assertEquals(a.ops().digest(), b.ops().digest());
        b.ops().disable("p");
        assertFalse(a.ops().digest().equals(b.ops().digest()));
    }

    @Test
    @DisplayName("two ops of one id: the one of the provider that comes first counts, whatever the order of arrival")
    void opIds() {
        Op<Unary> mine = Op.of(600, "mine", Unary.class);
        Op<Unary> other = Op.of(600, "other", Unary.class);
        FakeProvider high = new FakeProvider("high", 5);
        high.ops = List.of(other);
        FakeProvider low = new FakeProvider("low", 1);
        low.ops = List.of(mine);
        for (List<FakeProvider> order : List.of(List.of(high, low), List.of(low, high))) {
            Registry r = cpuRegistry();
            order.forEach(p -> r.add(p, origin(p.name)));
            assertTrue(r.ops().registered(other, CPU));
            assertFalse(r.ops().registered(mine, CPU));
        }
    }

    @Test
    @DisplayName("B9 two backends of one device are ordered by priority, then name; the loser steps in")
    void twoBackends() {
        for (boolean reversed : new boolean[] {false, true}) {
            Registry r = new Registry(Settings.none());
            FakeBackend a = new FakeBackend(CPU);
            FakeBackend b = new FakeBackend(CPU);
            a.name = "a";
            b.name = "b";
            b.priority = 1;
            List<FakeBackend> both = new ArrayList<>(Arrays.asList(a, b));
            if (reversed) {
                Collections.reverse(both);
            }
            Map<FakeBackend, Registry.Handle> handles = new HashMap<>();
            both.forEach(x -> handles.put(x, r.add(x, origin(x.name))));
            assertEquals("b", r.backends().get(CPU).name());
            handles.get(b).remove();
            assertEquals("a", r.backends().get(CPU).name());
            handles.get(a).remove();
            String said =
                    assertThrows(VtException.class, () -> r.backends().get(CPU)).getMessage();
            assertTrue(said.contains("cpu:0") && said.contains("no device is present"), said);
        }
    }

    @Test
    @DisplayName("B9 O3.9 devices are found by text and by stable id")
    void parse() {
        Registry r = cpuRegistry();
        r.add(new FakeBackend(Device.of(XPU, 1)), origin("x"));
        assertEquals(CPU, r.backends().parse("cpu"));
        assertEquals(CPU, r.backends().parse("cpu:0"));
        assertEquals(Device.of(XPU, 1), r.backends().parse("id-xpu:1"));
        for (String bad : List.of("xpu", "cuda:0", "", "cpu:1", "cpu:x")) {
            String said = assertThrows(VtException.class, () -> r.backends().parse(bad))
                    .getMessage();
            assertTrue(said.contains("cpu:0 (id id-cpu:0)"), said);
        }
    }

    @Test
    @DisplayName("O2.8 leases may be closed twice, from two threads, in any order with the provider's leaving")
    void leases() throws InterruptedException {
        Registry r = cpuRegistry();
        FakeProvider p = new FakeProvider("p", 1);
        Registry.Handle h = r.add(p, origin("p"));
        OpLease<Unary> lease = r.ops().acquire(RELU, CPU);
        assertEquals("p", lease.provider());
        Thread remover = Thread.ofPlatform().start(h::remove);
        Thread one = Thread.ofPlatform().start(lease::close);
        lease.close();
        one.join();
        remover.join();
        assertThrows(VtException.class, lease::kernel);
        assertThrows(NoKernelException.class, () -> r.ops().acquire(RELU, CPU));
    }
}
