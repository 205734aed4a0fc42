package dev.vt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import dev.vt.api.op.Selection;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.OpResult;
import dev.vt.conformance.Subject;
import dev.vt.conformance.spec.Level;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.ops.OpTable;
import dev.vt.ops.Ops;
import dev.vt.registry.VtRuntime;
import dev.vt.testkit.SecondDevices.Kind;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The conformance kit, admission and the reference tier on devices that are not the CPU. */
@DisplayName("A second device")
class SecondDeviceKitTest {
    /** Enough to see every layout, pattern and a replayed graph without taking minutes. */
    private static final Set<String> WHOLE = Set.of("rms_norm", "embedding", "silu_and_mul", "add");

    private static final SecondDevices DEVICES = new SecondDevices();

    /** A runtime whose CPU lends to devices that come and go. */
    private static final VtRuntime LENDING = VtRuntime.load();

    @AfterAll
    static void close() {
        LENDING.close();
        DEVICES.close();
    }

    private static OpResult run(Level level, OpSpec spec, Subject subject, DeviceDouble device) {
        OpResult result = new Conformance(level).run(spec, subject, device);
        assertEquals(List.of(), result.failures(), spec.op() + " on " + device.device());
        assertTrue(result.served() > 0, () -> "served nothing: " + result);
        return result;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("D4 every kernel over the device's own memory passes the kit; nothing that it allocates is left")
    void kit(Kind kind) {
        try (DeviceDouble device = kind.builder().open()) {
            KernelSet kernels = DEVICES.provider(device).kernels();
            for (OpSpec spec : specs(device.hostAddressable())) {
                Level level = WHOLE.contains(spec.op().name()) ? Level.FULL : Level.QUICK;
                try (Subject subject = Subject.of(kernels, spec.op()).orElseThrow()) {
                    run(level, spec, subject, device);
                }
            }
            assertEquals(device.counts().allocations(), device.counts().frees());
            assertEquals(0, device.counts().usesAfterFree());
            assertEquals(0, device.memoryUse().queues());
        }
    }

    private static List<OpSpec> specs(boolean byAddress) {
        return Conformance.specs().stream()
                .filter(s -> byAddress || !byAddress(s))
                .toList();
    }

    /** An operand holds addresses: those of a device that hides them lead nowhere, and the CPU follows none but its own. */
    private static boolean byAddress(OpSpec spec) {
        return spec.make(spec.plans(Level.QUICK).getFirst()).operands().stream().anyMatch(o -> o.pointers() != null);
    }

    private static VtRuntime admitting() {
        return VtRuntime.load(Map.of("admission", "quick"));
    }

    private static void settle(VtRuntime runtime) throws InterruptedException {
        assertTrue(
                runtime.ops().awaitAdmission(Duration.ofSeconds(120)),
                () -> runtime.ops().pendingAdmissions().toString());
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("D4 O3.14 a device's own kernels are tested on it, vt-native too; a wrong one never serves a call")
    void admission(Kind kind) throws Exception {
        try (VtRuntime runtime = admitting();
                DeviceDouble device = kind.builder().open()) {
            DoubleProvider wrong = DEVICES.provider(device).with(OpTable.RELU, (queue, out, x) -> Outcome.SERVED);
            runtime.add(device);
            runtime.add(wrong);
            settle(runtime);
            long tested = wrong.calls(OpTable.RELU);
            assertTrue(tested > 0);
            assertThrows(VtException.class, () -> discreteRelu(runtime, device), "the host can't stand in");
            assertEquals(tested, wrong.calls(OpTable.RELU));
            Selection relu = runtime.ops().explain(OpTable.RELU, device.device());
            assertEquals(Selection.State.REFUSED, relu.chain().get(0).state());
            assertTrue(relu.chain().get(0).reason().startsWith("admission: relu "), relu.toString());
            assertEquals(
                    OpProvider.NATIVE,
                    runtime.ops().explain(OpTable.ADD, device.device()).selected());
            assertEquals(device.counts().allocations(), device.counts().frees());
        }
    }

    /** Fails on every device: the reference tier is kept out. */
    private static void discreteRelu(VtRuntime runtime, DeviceDouble device) {
        runtime.ops()
                .policy(
                        device.device(),
                        new dev.vt.api.op.Policy(dev.vt.api.op.Policy.Fallback.REFERENCE_OFF, Set.of(), Set.of()));
        relu(runtime, device);
    }

    private static float[] relu(VtRuntime runtime, DeviceDouble device) {
        float[] given = {-1, 2, -3, 4};
        float[] result = new float[given.length];
        try (Queue queue = device.createQueue();
                Memory in = device.allocate(16);
                Memory out = device.allocate(16)) {
            device.upload(queue, in, 0, MemorySegment.ofArray(given));
            new Ops(runtime.ops()).relu(queue, Tensor.of(out, DType.F32, 4), Tensor.of(in, DType.F32, 4));
            device.download(queue, MemorySegment.ofArray(result), out, 0);
            queue.synchronize();
        }
        return result;
    }

    static Stream<Arguments> lentOps() {
        return specs(false).stream().map(s -> Arguments.of(s.op().name(), s));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("lentOps")
    @DisplayName(
            "S26 S27 S28 S30 the CPU's kernel lent to a unified device with deferred work passes the kit, and each use"
                    + " is counted")
    void lent(String name, OpSpec spec) {
        try (DeviceDouble device = Kind.UNIFIED_DEFERRED.builder().open()) {
            VtRuntime runtime = LENDING;
            VtRuntime.Registration added = runtime.add(device);
            try {
                Op<?> op = spec.op();
                assertEquals(0, runtime.ops().providerCount(op, device.device()), "S26 untouched before a miss");
                assertTrue(runtime.ops().installReferenceTier(device.device()) > 0);
                assertEquals(0, runtime.ops().installReferenceTier(device.device()), "S26 the second time");
                long before = runtime.ops().referenceHits();
                try (Subject subject = Subject.of(runtime.ops(), op, device.device(), OpProvider.REFERENCE)
                        .orElseThrow()) {
                    OpResult result = new Conformance(Level.QUICK).run(spec, subject, device);
                    assertEquals(List.of(), result.failures(), name);
                    assertTrue(runtime.ops().referenceHits() - before >= result.served(), "S30 each is counted");
                }
                assertTrue(device.counts().flushes() > 0, "S28 what is pending is flushed first");
                assertEquals(device.counts().allocations(), device.counts().frees());
            } finally {
                added.close();
            }
        }
    }

    @Test
    @DisplayName("S27 an op whose operand holds the device's addresses is an error on the tier, never a stray read")
    void lentByAddress() {
        try (VtRuntime runtime = VtRuntime.load();
                DeviceDouble device = Kind.UNIFIED.builder().open()) {
            runtime.add(device);
            runtime.ops().installReferenceTier(device.device());
            List<OpSpec> specs = Conformance.specs().stream()
                    .filter(SecondDeviceKitTest::byAddress)
                    .toList();
            assertFalse(specs.isEmpty());
            for (OpSpec spec : specs) {
                try (Subject subject = Subject.of(runtime.ops(), spec.op(), device.device(), OpProvider.REFERENCE)
                        .orElseThrow()) {
                    OpResult result = new Conformance(Level.QUICK).run(spec, subject, device);
                    assertEquals(0, result.served() - result.failed(), () -> "no case is right: " + result);
                    result.failures().forEach(f -> assertTrue(f.error().contains("inside one open block"), f.error()));
                }
            }
        }
    }

    @Test
    @DisplayName(
            "S27 memory that the host can't read: the tier is refused with the backend's note, and no host kernel runs")
    void notAddressable() {
        try (VtRuntime runtime = VtRuntime.load();
                DeviceDouble device = TestDevices.discrete()
                        .hostAddressableNote("its memory is behind a bus")
                        .open()) {
            runtime.add(device);
            VtException e = assertThrows(VtException.class, () -> relu(runtime, device));
            assertEquals(ErrorCode.NO_KERNEL, e.code());
            assertTrue(e.getMessage().contains("its memory is behind a bus"), e.getMessage());
            assertTrue(runtime.ops().referenceTier(device.device()).contains("its memory is behind a bus"));
            assertEquals(0, runtime.ops().installReferenceTier(device.device()));
            assertEquals(0, runtime.ops().referenceHits());
            runtime.add(DEVICES.provider(device));
            assertEquals("[0.0, 2.0, 0.0, 4.0]", Arrays.toString(relu(runtime, device)));
        }
    }

    @Test
    @DisplayName(
            "S29 S28 a device's own kernel wins over the tier, which steps in when it declines and follows the CPU's"
                    + " selection")
    void nativeWins() {
        try (VtRuntime runtime = VtRuntime.load();
                DeviceDouble device = Kind.UNIFIED.builder().open()) {
            runtime.add(device);
            DoubleProvider own = new DoubleProvider("own", 0, device, DEVICES.kernels());
            VtRuntime.Registration registration = runtime.add(own);
            assertEquals("[0.0, 2.0, 0.0, 4.0]", Arrays.toString(relu(runtime, device)));
            assertEquals(1, own.calls(OpTable.RELU));
            assertEquals(0, runtime.ops().referenceHits());
            assertEquals(1, runtime.ops().providerCount(OpTable.RELU, device.device()));
            registration.close();
            DoubleProvider declining = new DoubleProvider(
                            "own", 0, device, KernelSet.builder().build())
                    .with(OpTable.RELU, (queue, out, x) -> NOT_NOW);
            runtime.add(declining);
            assertEquals("[0.0, 2.0, 0.0, 4.0]", Arrays.toString(relu(runtime, device)));
            assertEquals(1, declining.calls(OpTable.RELU));
            assertEquals(1, runtime.ops().referenceHits());
        }
    }

    private static final Outcome NOT_NOW = Outcome.declined("not now");
}
