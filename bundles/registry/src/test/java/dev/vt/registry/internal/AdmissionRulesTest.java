package dev.vt.registry.internal;

import static dev.vt.registry.internal.Doubles.CPU;
import static dev.vt.registry.internal.Doubles.XPU;
import static dev.vt.registry.internal.Doubles.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.op.Op;
import dev.vt.api.op.Policy;
import dev.vt.api.op.ProviderStatus;
import dev.vt.api.op.Selection;
import dev.vt.api.spi.AdmissionTest;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Unary;
import dev.vt.registry.internal.Doubles.FakeBackend;
import dev.vt.registry.internal.Doubles.FakeKit;
import dev.vt.registry.internal.Doubles.FakeProvider;
import dev.vt.registry.internal.Doubles.FakeQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What admission decides. How it behaves while things come and go is {@link AdmissionRunsTest}. */
@Timeout(120)
class AdmissionRulesTest {
    private static final Op<Unary> RELU = OpTable.RELU;
    private static final Op<Unary> OTHER = OpTable.SILU_AND_MUL;
    private static final String SENTENCE = "relu f32[7]: expected 0.0, given -1.0 at 3";

    static final AdmissionSettings QUICK = AdmissionSettings.QUICK;
    static final AdmissionSettings FULL = new AdmissionSettings(Optional.of(AdmissionTest.Level.FULL), QUICK.limit());

    private final FakeKit kit = new FakeKit();

    static Registry registry(AdmissionSettings admission) {
        return new Registry(new Settings(Set.of(), false, null, admission));
    }

    private static FakeProvider both(String name, int priority) {
        FakeProvider p = new FakeProvider(name, priority);
        p.ops = List.of(RELU, OTHER);
        return p;
    }

    static void settle(Registry r) throws InterruptedException {
        assertTrue(
                r.ops().awaitAdmission(Duration.ofSeconds(30)),
                () -> r.ops().pendingAdmissions().toString());
    }

    static Selection.Link link(Registry r, Op<?> op, String provider) {
        return r.ops().explain(op, CPU).chain().stream()
                .filter(l -> l.name().equals(provider))
                .findFirst()
                .orElseThrow();
    }

    private static void relu(Registry r) {
        Tensor t = new FakeBackend(CPU).floats(1);
        r.ops().call(RELU, new FakeQueue(CPU), k -> k.run(new FakeQueue(CPU), t, t));
    }

    @Test
    @DisplayName("D4 without configuration nothing is tested and nothing waits")
    void off() throws Exception {
        try (Registry r = Doubles.cpuRegistry()) {
            r.add(kit, origin("kit"));
            r.add(new FakeProvider("plain", 1), origin("plain"));
            assertEquals("plain", r.ops().explain(RELU, CPU).selected());
            assertEquals(List.of(), r.ops().pendingAdmissions());
            assertTrue(r.ops().awaitAdmission(Duration.ZERO));
            assertEquals(List.of(), kit.tested);
        }
    }

    @Test
    @DisplayName("D4 a provider is not eligible before it was tested; until a test kit is there it waits, and says so")
    void waits() throws Exception {
        try (Registry r = registry(QUICK)) {
            r.add(new FakeBackend(CPU), origin("cpu"));
            r.add(new FakeProvider("plain", 1), origin("plain"));
            assertNull(r.ops().explain(RELU, CPU).selected());
            assertEquals(Selection.State.REFUSED, link(r, RELU, "plain").state());
            assertEquals(
                    "admission: waits for the test kit", link(r, RELU, "plain").reason());
            assertEquals(
                    List.of("plain on cpu:0: waits for the test kit"), r.ops().pendingAdmissions());
            assertFalse(r.ops().awaitAdmission(Duration.ofMillis(5)));
            r.add(kit, origin("kit"));
            settle(r);
            assertEquals("plain", r.ops().explain(RELU, CPU).selected());
            assertEquals(List.of("plain cpu:0 QUICK"), kit.tested);
            assertEquals("vt-admission plain on cpu:0", kit.threads.get(0).getName());
            assertNull(kit.threads.get(0).getContextClassLoader());
        }
    }

    @Test
    @DisplayName(
            "D4 O3.14 a wrong kernel is refused with its sentence and never called; the provider's others are let in"
                    + " by the same change")
    void wrongKernel() throws Exception {
        FakeProvider wrong = both("wrong", 9);
        FakeProvider right = both("right", 1);
        kit.finds("wrong", RELU, SENTENCE);
        try (Registry r = registry(QUICK)) {
            r.add(new FakeBackend(CPU), origin("cpu"));
            r.add(kit, origin("kit"));
            r.add(wrong, origin("wrong"));
            r.add(right, origin("right"));
            settle(r);
            for (int i = 0; i < 100; i++) {
                relu(r);
            }
            assertEquals(0, wrong.calls.get());
            assertEquals(100, right.calls.get());
            assertEquals("admission: " + SENTENCE, link(r, RELU, "wrong").reason());
            assertEquals("wrong", r.ops().explain(OTHER, CPU).selected());
            ProviderStatus status = r.ops().providers().get(0);
            assertEquals(Selection.State.SELECTED, status.state());
            assertEquals("asked first for 1 of 2 ops; refused: relu: admission: " + SENTENCE, status.reason());
        }
    }

    @Test
    @DisplayName("D4 a refused kernel changes the digest; where all are refused the provider shows the reason")
    void digest() throws Exception {
        Set<String> digests = new HashSet<>();
        for (boolean faulty : new boolean[] {false, true}) {
            FakeKit one = faulty ? new FakeKit().finds("plain", RELU, SENTENCE) : new FakeKit();
            try (Registry r = registry(QUICK)) {
                r.add(new FakeBackend(CPU), origin("cpu"));
                r.add(one, origin("kit"));
                r.add(new FakeProvider("plain", 1), origin("plain"));
                settle(r);
                digests.add(r.ops().digest());
                ProviderStatus status = r.ops().providers().get(0);
                assertEquals(faulty ? Selection.State.REFUSED : Selection.State.SELECTED, status.state());
                assertEquals(faulty, status.reason().equals("admission: " + SENTENCE));
            }
        }
        assertEquals(2, digests.size());
    }

    @Test
    @DisplayName("D4 S1 backend, kit, configuration and two providers in all 120 orders end with one selection")
    void permuted() throws Exception {
        List<Consumer<Registry>> arrivals = List.of(
                r -> r.add(new FakeBackend(CPU), origin("cpu")),
                r -> r.add(new FakeKit().finds("wrong", RELU, SENTENCE), origin("kit")),
                r -> r.admission(QUICK),
                r -> r.add(both("wrong", 9), origin("wrong")),
                r -> r.add(both("right", 1), origin("right")));
        Set<String> digests = new HashSet<>();
        for (List<Consumer<Registry>> order : SelectionTest.permutations(arrivals)) {
            try (Registry r = registry(AdmissionSettings.OFF)) {
                order.forEach(a -> a.accept(r));
                settle(r);
                digests.add(r.ops().digest());
                assertEquals("right", r.ops().explain(RELU, CPU).selected());
                assertEquals("wrong", r.ops().explain(OTHER, CPU).selected());
            }
        }
        assertEquals(1, digests.size());
    }

    @Test
    @DisplayName("D4 those that wait together are tested from the lowest up, whatever came first")
    void upwards() throws Exception {
        for (List<Integer> order : SelectionTest.permutations(List.of(1, 2, 3))) {
            FakeKit one = new FakeKit();
            try (Registry r = registry(QUICK)) {
                r.add(new FakeBackend(CPU), origin("cpu"));
                order.forEach(n -> r.add(new FakeProvider("p" + n, n), origin("p" + n)));
                r.add(one, origin("kit"));
                settle(r);
                assertEquals(List.of("p1 cpu:0 QUICK", "p2 cpu:0 QUICK", "p3 cpu:0 QUICK"), one.tested);
            }
        }
    }

    @Test
    @DisplayName("D4 the CPU backend's own vt-native is what others are compared with, so it is not tested; any other"
            + " vt-native is")
    void exempt() throws Exception {
        Device xpu = Device.of(XPU);
        try (Registry r = registry(QUICK)) {
            r.add(kit, origin("kit"));
            r.add(new FakeBackend(CPU), origin("cpu"));
            r.add(new FakeBackend(xpu), origin("xpu"));
            r.add(new FakeProvider("vt-native", 0), origin("cpu"));
            r.add(new FakeProvider("vt-native", 0, XPU), origin("xpu"));
            settle(r);
            assertEquals(List.of("vt-native xpu:0 QUICK"), kit.tested);
            assertEquals("vt-native", r.ops().explain(RELU, CPU).selected());
            r.add(new FakeProvider("vt-native", 0), new Origin("impostor", "2.0.0", "", "c"));
            settle(r);
            assertEquals(2, kit.tested.size(), "one of another bundle is tested, whatever its name");
        }
    }

    @Test
    @DisplayName("D4 what may not be selected anyway is not tested, and is once it may")
    void onlyCandidates() throws Exception {
        FakeProvider picky = new FakeProvider("picky", 3).needs(caps -> caps.major() == 10);
        try (Registry r = registry(QUICK)) {
            r.add(kit, origin("kit"));
            r.add(new FakeBackend(CPU), origin("cpu"));
            r.ops().disable("off");
            r.ops().policy(CPU, new Policy(Policy.Fallback.ALLOW, Set.of(), Set.of("denied")));
            r.add(new FakeProvider("off", 1), origin("off"));
            r.add(new FakeProvider("denied", 2), origin("denied"));
            r.add(picky, origin("picky"));
            settle(r);
            assertEquals(List.of(), kit.tested);
            r.ops().enable("off");
            settle(r);
            r.ops().policy(CPU, Policy.DEFAULT);
            settle(r);
            r.ops().publishCaps(new ProviderCaps(CPU, true, 10, 0, 4, 0));
            settle(r);
            assertEquals(List.of("off cpu:0 QUICK", "denied cpu:0 QUICK", "picky cpu:0 QUICK"), kit.tested);
            r.ops().publishCaps(new ProviderCaps(CPU, true, 10, 0, 8, 0));
            r.ops().disable("off");
            r.ops().enable("off");
            settle(r);
            assertEquals(3, kit.tested.size(), "a result is kept");
        }
    }

    @Test
    @DisplayName("D4 a result belongs to one provider instance on one backend: a new version, or another backend, is"
            + " tested anew")
    void kept() throws Exception {
        try (Registry r = registry(QUICK)) {
            r.add(kit, origin("kit"));
            Registry.Handle backend = r.add(new FakeBackend(CPU), origin("cpu"));
            Registry.Handle one = r.add(new FakeProvider("plain", 1), origin("plain"));
            settle(r);
            FakeBackend better = new FakeBackend(CPU);
            better.priority = 5;
            Registry.Handle second = r.add(better, origin("better"));
            settle(r);
            assertEquals(2, kit.tested.size());
            second.remove();
            settle(r);
            assertEquals(2, kit.tested.size(), "the first backend's result was kept");
            one.remove();
            r.add(new FakeProvider("plain", 1), new Origin("plain", "1.0.1", "plain", "c"));
            settle(r);
            assertEquals(3, kit.tested.size());
            backend.remove();
            r.add(new FakeBackend(CPU), origin("cpu"));
            settle(r);
            assertEquals(4, kit.tested.size());
        }
    }

    @Test
    @DisplayName(
            "D4 another level or another kit tests anew while the old result stays in force; a kit that leaves takes"
                    + " no result with it")
    void testedAnew() throws Exception {
        try (Registry r = registry(QUICK)) {
            Registry.Handle first = r.add(kit, origin("kit"));
            r.add(new FakeBackend(CPU), origin("cpu"));
            r.add(new FakeProvider("plain", 1), origin("plain"));
            settle(r);
            kit.inside = p -> assertEquals("plain", r.ops().explain(RELU, CPU).selected());
            r.admission(FULL);
            settle(r);
            assertEquals(List.of("plain cpu:0 QUICK", "plain cpu:0 FULL"), kit.tested);
            first.remove();
            assertEquals("plain", r.ops().explain(RELU, CPU).selected());
            assertEquals(List.of(), r.ops().pendingAdmissions());
            FakeKit stricter = new FakeKit().finds("plain", RELU, SENTENCE);
            r.add(stricter, origin("kit"));
            settle(r);
            assertNull(r.ops().explain(RELU, CPU).selected());
            r.admission(AdmissionSettings.OFF);
            assertEquals("plain", r.ops().explain(RELU, CPU).selected());
        }
    }

    @Test
    @DisplayName("D4 a device with caps and no backend has nothing to test on, and nothing waits for it")
    void noBackend() throws Exception {
        Device xpu = Device.of(XPU);
        try (Registry r = registry(QUICK)) {
            r.add(kit, origin("kit"));
            r.add(new FakeProvider("plain", 1, XPU), origin("plain"));
            r.ops().publishCaps(new ProviderCaps(xpu, true, 1, 0, 1, 0));
            settle(r);
            assertEquals(
                    "admission: no backend of xpu:0 is present to test it on",
                    r.ops().explain(RELU, xpu).chain().get(0).reason());
        }
    }

    @Test
    @DisplayName(
            "D4 S25 one kernel is refused and readmitted at run time: selection moves on at once, and the reason is"
                    + " told")
    void marks() {
        try (Registry r = Doubles.cpuRegistry()) {
            FakeProvider top = both("top", 9);
            Registry.Handle handle = r.add(top, origin("top"));
            r.add(both("low", 1), origin("low"));
            String before = r.ops().digest();
            assertTrue(r.ops().refuse(RELU, CPU, "top", SENTENCE));
            assertFalse(r.ops().refuse(RELU, CPU, "top", "verify: " + SENTENCE));
            relu(r);
            assertEquals(0, top.calls.get());
            assertEquals("low", r.ops().explain(RELU, CPU).selected());
            assertEquals("top", r.ops().explain(OTHER, CPU).selected());
            assertEquals("verify: " + SENTENCE, link(r, RELU, "top").reason());
            assertNotEquals(before, r.ops().digest());
            assertTrue(r.ops().readmit(RELU, CPU, "top"));
            assertFalse(r.ops().readmit(RELU, CPU, "top"));
            assertEquals("top", r.ops().explain(RELU, CPU).selected());
            assertEquals(before, r.ops().digest());
            r.ops().refuse(RELU, CPU, "top", SENTENCE);
            handle.remove();
            r.add(both("top", 9), new Origin("top", "1.0.1", "top", "c"));
            assertEquals("top", r.ops().explain(RELU, CPU).selected(), "a mark goes with the instance");
        }
    }

    @Test
    @DisplayName("D4 readmitting lets in a kernel that failed admission")
    void readmitted() throws Exception {
        kit.finds("plain", RELU, SENTENCE);
        try (Registry r = registry(QUICK)) {
            r.add(kit, origin("kit"));
            r.add(new FakeBackend(CPU), origin("cpu"));
            r.add(new FakeProvider("plain", 1), origin("plain"));
            settle(r);
            assertTrue(r.ops().readmit(RELU, CPU, "plain"));
            assertEquals("plain", r.ops().explain(RELU, CPU).selected());
            assertEquals(1, kit.tested.size());
        }
    }

    @Test
    @DisplayName("D4 a mark on a provider that is not there is an error that names those that are")
    void markUnknown() {
        try (Registry r = Doubles.cpuRegistry()) {
            List<String> said = new ArrayList<>();
            said.add(assertThrows(VtException.class, () -> r.ops().refuse(RELU, CPU, "x", "why"))
                    .getMessage());
            r.add(new FakeProvider("plain", 1), origin("plain"));
            said.add(assertThrows(VtException.class, () -> r.ops().readmit(RELU, CPU, "x"))
                    .getMessage());
            said.add(assertThrows(VtException.class, () -> r.ops().refuse(RELU, CPU, "vt-cpu-ref", "why"))
                    .getMessage());
            assertEquals(
                    List.of(
                            "op relu on cpu:0: no provider is named 'x'; there are none",
                            "op relu on cpu:0: no provider is named 'x'; there are plain",
                            "op relu on cpu:0: the kernels of vt-cpu-ref are the CPU's; refuse the provider there"),
                    said);
        }
    }
}
