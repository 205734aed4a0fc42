package dev.vt.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Graph;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.device.StaleGraphException;
import dev.vt.api.op.NoKernelException;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.Ops;
import dev.vt.registry.VtRuntime;
import dev.vt.testkit.SecondDevices.Kind;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Graphs of kernels on devices that are not the CPU. */
@DisplayName("Graphs on a second device")
@Timeout(120)
class SecondDeviceGraphTest {
    private static final SecondDevices DEVICES = new SecondDevices();

    @AfterAll
    static void close() {
        DEVICES.close();
    }

    /** A device with a queue, an input, an output, and one provider whose kernels are captured. */
    private static final class Stage implements AutoCloseable {
        final VtRuntime runtime = VtRuntime.load();
        final DeviceDouble device;
        final DoubleProvider provider;
        final VtRuntime.Registration registration;
        final DoubleQueue queue;
        final Memory in;
        final Memory out;

        Stage(Kind kind) {
            device = kind.builder().open();
            runtime.add(device);
            provider = new DoubleProvider("first", 10, device, DEVICES.kernels());
            registration = runtime.add(provider);
            queue = device.createQueue();
            in = device.allocate(8);
            out = device.allocate(8);
        }

        /** out = relu(in) */
        void relu() {
            new Ops(runtime.ops()).relu(queue, tensor(out), tensor(in));
        }

        static Tensor tensor(Memory memory) {
            return Tensor.of(memory, DType.F32, 2);
        }

        void upload(float a, float b) {
            device.upload(queue, in, 0, MemorySegment.ofArray(new float[] {a, b}));
        }

        Graph captured() {
            queue.beginCapture();
            relu();
            return queue.endCapture();
        }

        float[] result() {
            float[] values = new float[2];
            device.download(queue, MemorySegment.ofArray(values), out, 0);
            queue.synchronize();
            return values;
        }

        @Override
        public void close() {
            runtime.close();
            device.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName(
            "B7 a captured kernel runs once for each replay, over the bytes of then; capturing itself does nothing")
    void replays(Kind kind) {
        try (Stage s = new Stage(kind)) {
            s.upload(-1, 1);
            s.relu();
            assertArrayEquals(new float[] {0, 1}, s.result());
            try (Graph graph = s.captured()) {
                s.upload(-2, 2);
                assertArrayEquals(new float[] {0, 1}, s.result(), "not yet");
                graph.replay(s.queue);
                assertArrayEquals(new float[] {0, 2}, s.result());
                s.upload(3, -3);
                graph.replay(s.queue);
                assertArrayEquals(new float[] {3, 0}, s.result());
                assertEquals(2, s.provider.calls(OpTable.RELU), "a replay does not ask the kernel again");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName(
            "S17 when a provider leaves, replay fails and names it, nothing is launched, and capturing again works")
    void stale(Kind kind) {
        try (Stage s = new Stage(kind)) {
            s.upload(-1, 1);
            Graph graph = s.captured();
            assertEquals(
                    List.of("first"),
                    graph.owners().stream().map(KernelOwner::name).toList());
            graph.replay(s.queue);
            s.registration.close();
            assertArrayEquals(new float[] {0, 1}, s.result(), "what was launched before is done");
            DoubleProvider next = new DoubleProvider("next", 5, s.device, DEVICES.kernels());
            s.runtime.add(next);
            s.upload(-2, 2);
            StaleGraphException e = assertThrows(StaleGraphException.class, () -> graph.replay(s.queue));
            assertTrue(e.getMessage().contains("first"), e.getMessage());
            assertArrayEquals(new float[] {0, 1}, s.result(), "nothing was launched");
            graph.close();
            try (Graph again = s.captured()) {
                again.replay(s.queue);
                assertArrayEquals(new float[] {0, 2}, s.result());
                assertEquals(
                        List.of("next"),
                        again.owners().stream().map(KernelOwner::name).toList());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("B7 O4.7 a buffer that a graph uses is freed: replay is an error before launch; capturing again works")
    void freedBuffer(Kind kind) {
        try (Stage s = new Stage(kind)) {
            s.upload(-1, 1);
            s.relu();
            Memory other = s.device.allocate(8);
            s.queue.beginCapture();
            new Ops(s.runtime.ops()).relu(s.queue, Stage.tensor(s.out), Stage.tensor(other));
            Graph graph = s.queue.endCapture();
            other.close();
            VtException e = assertThrows(VtException.class, () -> graph.replay(s.queue));
            assertTrue(e.getMessage().contains("memory block " + other.id()), e.getMessage());
            assertArrayEquals(new float[] {0, 1}, s.result());
            s.upload(-5, 5);
            try (Graph again = s.captured()) {
                again.replay(s.queue);
                assertArrayEquals(new float[] {0, 5}, s.result());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName(
            "B7 O4.5 a kernel that allocates while it is captured: refused by name, the capture ends as a failure, the"
                    + " next call works")
    void allocates(Kind kind) {
        try (Stage s = new Stage(kind)) {
            s.upload(-1, 1);
            s.registration.close();
            s.runtime.add(
                    new DoubleProvider("greedy", 1, s.device, DEVICES.kernels()).with(OpTable.RELU, (queue, out, x) -> {
                        s.device.allocate(64).close();
                        return dev.vt.api.op.Outcome.SERVED;
                    }));
            s.queue.beginCapture();
            VtException e = assertThrows(VtException.class, s::relu);
            assertTrue(e.getMessage().contains("allocate of 64 bytes"), e.getMessage());
            assertThrows(VtException.class, s.queue::endCapture);
            assertFalse(s.queue.capturing());
            s.runtime.add(new DoubleProvider("modest", 2, s.device, DEVICES.kernels()));
            s.relu();
            assertArrayEquals(new float[] {0, 1}, s.result());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName(
            "B7 O4.6 another thread that allocates, copies and calls on its own queue disturbs no capture, 200 rounds")
    void otherThread(Kind kind) throws Exception {
        try (Stage s = new Stage(kind)) {
            s.upload(-1, 1);
            s.queue.synchronize();
            AtomicReference<Throwable> fault = new AtomicReference<>();
            for (int round = 0; round < 200; round++) {
                s.queue.beginCapture();
                Thread other = Thread.ofVirtual().start(() -> elsewhere(s, fault));
                s.relu();
                other.join();
                try (Graph graph = s.queue.endCapture()) {
                    assertEquals(1, graph.nodes(), "what the other thread did is no part of it");
                    if (round % 50 == 0) {
                        graph.replay(s.queue);
                        assertArrayEquals(new float[] {0, 1}, s.result());
                    }
                }
                assertEquals(null, fault.get());
            }
        }
    }

    private static void elsewhere(Stage s, AtomicReference<Throwable> fault) {
        try (Queue queue = s.device.createQueue();
                Memory a = s.device.allocate(8);
                Memory b = s.device.allocate(8)) {
            s.device.memset(queue, a, 0, (byte) 0, 8);
            new Ops(s.runtime.ops()).relu(queue, Stage.tensor(b), Stage.tensor(a));
            s.device.copy(queue, a, 0, b, 0, 8);
            queue.synchronize();
        } catch (Throwable e) {
            fault.set(e);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UNIFIED", "UNIFIED_DEFERRED"})
    @DisplayName("B7 S27 the reference tier can't be captured: a sentence, and the queue is usable when the capture is"
            + " ended")
    void tierInCapture(Kind kind) {
        try (Stage s = new Stage(kind)) {
            s.registration.close();
            s.upload(-1, 1);
            s.relu();
            assertArrayEquals(new float[] {0, 1}, s.result());
            s.queue.beginCapture();
            NoKernelException e = assertThrows(NoKernelException.class, s::relu);
            assertTrue(e.getMessage().contains("can't be captured"), e.getMessage());
            s.queue.endCapture().close();
            s.upload(-7, 7);
            s.relu();
            assertArrayEquals(new float[] {0, 7}, s.result());
            assertEquals(2, s.runtime.ops().referenceHits());
        }
    }
}
