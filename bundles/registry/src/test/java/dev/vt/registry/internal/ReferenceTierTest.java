package dev.vt.registry.internal;

import static dev.vt.registry.internal.Doubles.CPU;
import static dev.vt.registry.internal.Doubles.XPU;
import static dev.vt.registry.internal.Doubles.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.NoKernelException;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpLease;
import dev.vt.api.op.Policy;
import dev.vt.api.op.Selection;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Unary;
import dev.vt.registry.internal.Doubles.FakeBackend;
import dev.vt.registry.internal.Doubles.FakeProvider;
import dev.vt.registry.internal.Doubles.FakeQueue;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The CPU's kernels lent to a device that the host can address. */
class ReferenceTierTest {
    private static final Op<Unary> RELU = OpTable.RELU;
    private static final Device DEV = Device.of(XPU);

    private final Registry r = Doubles.registry();
    private final FakeBackend cpu = new FakeBackend(CPU);
    private final FakeBackend unified = new FakeBackend(DEV);
    private final FakeProvider host = new FakeProvider("vt-native", 0);
    private final FakeQueue queue = new FakeQueue(DEV);
    private final Tensor t = unified.floats(2);

    @BeforeEach
    void devices() {
        r.add(cpu, origin("cpu"));
        r.add(unified, origin("unified"));
        r.add(host, origin("native"));
    }

    private void relu() {
        r.ops().call(RELU, queue, k -> k.run(queue, t, t));
    }

    @Test
    @DisplayName(
            "S26 S28 S30 installed on the first miss; flushes and synchronises before, waits after, counts each use")
    void lazily() {
        assertEquals(0, r.ops().providerCount(RELU, DEV));
        relu();
        relu();
        assertEquals(2, host.calls.get());
        assertEquals(2, r.ops().referenceHits());
        assertEquals(2, unified.flushes.get());
        assertEquals(2, queue.synchronizations.get());
        FakeQueue used = cpu.queues.get(0);
        assertEquals(1, used.synchronizations.get());
        assertTrue(used.closed);
        Selection s = r.ops().explain(RELU, DEV);
        assertEquals("vt-cpu-ref", s.selected());
        assertEquals(-1000, s.chain().get(0).priority());
        assertEquals(1, r.ops().providerCount(RELU, DEV));
        assertEquals("vt-cpu-ref", r.ops().providerNameAt(RELU, DEV, 0));
        assertFalse(r.ops().registered(RELU, DEV), "S11 the tier does not count as native");
        assertEquals(0, r.ops().stats(RELU, DEV).fallbacks());
    }

    @Test
    @DisplayName("S26 an eager install says how many, 0 the second time")
    void eagerly() {
        assertEquals(1, r.ops().installReferenceTier(DEV));
        assertEquals(0, r.ops().installReferenceTier(DEV));
        assertEquals(0, r.ops().installReferenceTier(CPU));
        assertEquals(0, r.ops().installReferenceTier(Device.of(XPU, 3)));
        assertEquals("eligible", r.ops().referenceTier(DEV));
        try (OpLease<Unary> lease = r.ops().acquire(RELU, DEV)) {
            assertEquals("vt-cpu-ref", lease.provider());
        }
    }

    @Test
    @DisplayName("S27 never on memory that the host can't address; the refusal carries the backend's note")
    void discrete() {
        unified.addressable = false;
        unified.note = "managed memory without pageable access";
        String said = assertThrows(NoKernelException.class, this::relu).getMessage();
        assertTrue(
                said.contains("vt-cpu-ref (not eligible: the host can't address the memory of xpu:0: managed memory"),
                said);
        assertEquals(0, host.calls.get());
        assertEquals(0, r.ops().installReferenceTier(DEV));
        assertEquals(1, r.ops().stats(RELU, DEV).fallbacks());
    }

    @Test
    @DisplayName("S28 follows the CPU's selection of the moment")
    void follows() {
        relu();
        FakeProvider vector = new FakeProvider("vector", 10);
        Registry.Handle h = r.add(vector, origin("vector"));
        relu();
        assertEquals(1, vector.calls.get());
        vector.declines("odd shape");
        relu();
        assertEquals(2, host.calls.get());
        h.remove();
        relu();
        assertEquals(3, host.calls.get());
    }

    @Test
    @DisplayName("S29 a native kernel wins whatever its priority, and its table is unchanged by the tier")
    void nativeWins() {
        FakeProvider own = new FakeProvider("own", 0, XPU);
        r.add(own, origin("own"));
        relu();
        assertEquals(1, own.calls.get());
        assertEquals(0, r.ops().referenceHits());
        assertEquals(1, r.ops().providerCount(RELU, DEV));
        own.declines("no");
        relu();
        assertEquals(1, r.ops().referenceHits(), "when all decline the tier steps in");
        assertEquals("own", r.ops().explain(RELU, DEV).selected());
    }

    @Test
    @DisplayName("S24 fallback=reference-off and strict keep the tier out")
    void policy() {
        r.ops().policy(DEV, new Policy(Policy.Fallback.REFERENCE_OFF, Set.of(), Set.of()));
        String said = assertThrows(NoKernelException.class, this::relu).getMessage();
        assertTrue(said.contains("fallback=reference-off"), said);
        r.ops().policy(DEV, Policy.DEFAULT);
        relu();
        r.ops().policy(DEV, new Policy(Policy.Fallback.STRICT, Set.of(), Set.of()));
        assertThrows(NoKernelException.class, this::relu);
        assertEquals(
                Selection.State.NOT_PERMITTED,
                r.ops().explain(RELU, DEV).chain().get(0).state());
        r.ops().policy(DEV, Policy.DEFAULT);
        assertTrue(r.ops().disable("vt-cpu-ref"));
        assertThrows(NoKernelException.class, this::relu);
    }

    @Test
    @DisplayName("the tier declines inside a capture, since the host can't be recorded")
    void capture() {
        queue.capturing = true;
        String said = assertThrows(NoKernelException.class, this::relu).getMessage();
        assertTrue(said.contains("can't be captured"), said);
    }

    @Test
    @DisplayName("an op that the CPU lacks is refused as such")
    void noCpuKernel() {
        Op<Unary> op = OpTable.CAST_F32;
        Queue q = queue;
        String said = assertThrows(NoKernelException.class, () -> r.ops().call(op, q, k -> k.run(q, t, t)))
                .getMessage();
        assertTrue(said.contains("no CPU kernel for cast_f32"), said);
    }

    @Test
    @DisplayName("what a lent kernel throws reaches the caller as it is")
    void throwing() {
        IllegalStateException cause = new IllegalStateException("host fault");
        host.inside = () -> {
            throw cause;
        };
        Throwable e = assertThrows(dev.vt.api.VtException.class, this::relu);
        assertSame(cause, e.getCause());
    }
}
