package dev.vt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Event;
import dev.vt.api.device.Graph;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.ops.OpTable;
import dev.vt.ops.Ops;
import dev.vt.registry.VtRuntime;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Device doubles")
class DeviceDoubleTest {
    @Test
    @DisplayName("A unified device shows its memory, a discrete one gives a segment of no size")
    void segments() {
        try (DeviceDouble uni = TestDevices.unified().open();
                DeviceDouble disc = TestDevices.discrete().open();
                Memory shown = uni.allocate(64);
                Memory hidden = disc.allocate(64);
                Memory other = disc.allocate(64)) {
            assertEquals(64, shown.segment().byteSize());
            assertEquals(0, hidden.segment().byteSize());
            assertFalse(hidden.segment().address() == other.segment().address());
            assertThrows(IndexOutOfBoundsException.class, () -> hidden.segment().get(ValueLayout.JAVA_BYTE, 0));
            assertEquals(64, hidden.size());
            assertTrue(disc.importHost(MemorySegment.ofArray(new byte[8])).isEmpty());
        }
    }

    @Test
    @DisplayName("Bytes go up, across and down on a discrete device")
    void transfers() {
        try (DeviceDouble disc = TestDevices.discrete().open();
                Queue queue = disc.createQueue();
                Memory a = disc.allocate(16);
                Memory b = disc.allocate(16)) {
            byte[] back = new byte[8];
            disc.memset(queue, b, 0, (byte) 9, 16);
            disc.upload(queue, a, 3, MemorySegment.ofArray(new byte[] {1, 2, 3}));
            disc.copy(queue, b, 1, a, 3, 3);
            disc.download(queue, MemorySegment.ofArray(back), b, 0);
            queue.synchronize();
            assertEquals("[9, 1, 2, 3, 9, 9, 9, 9]", java.util.Arrays.toString(back));
        }
    }

    @Test
    @DisplayName("Deferred work waits for a flush, in order, and a wait without one is counted")
    void deferred() {
        try (DeviceDouble uni = TestDevices.unified().deferred(true).open();
                DoubleQueue queue = uni.createQueue();
                Memory memory = uni.allocate(4)) {
            byte[] source = {5};
            uni.memset(queue, memory, 0, (byte) 1, 4);
            uni.upload(queue, memory, 1, MemorySegment.ofArray(source));
            source[0] = 6;
            assertEquals(2, queue.pending());
            assertEquals(0, memory.segment().get(ValueLayout.JAVA_BYTE, 0));
            uni.flushPending();
            queue.synchronize();
            assertEquals(5, memory.segment().get(ValueLayout.JAVA_BYTE, 1));
            assertEquals(0, uni.counts().unflushedWaits());
            assertEquals(1, uni.counts().flushes());
            uni.memset(queue, memory, 0, (byte) 2, 4);
            queue.synchronize();
            assertEquals(1, uni.counts().unflushedWaits());
            assertEquals(2, memory.segment().get(ValueLayout.JAVA_BYTE, 0));
        }
    }

    @Test
    @DisplayName("O4.2 a block closed at once outlives the work that was queued before")
    void closeAfterWork() throws Exception {
        for (boolean deferred : new boolean[] {false, true}) {
            try (DeviceDouble uni = TestDevices.unified().deferred(deferred).open();
                    DoubleQueue queue = uni.createQueue()) {
                CountDownLatch gate = new CountDownLatch(1);
                Memory memory = uni.allocate(4);
                Memory copy = uni.allocate(4);
                queue.submit(workers -> await(gate));
                uni.memset(queue, memory, 0, (byte) 7, 4);
                uni.copy(queue, copy, 0, memory, 0, 4);
                Thread closer = Thread.ofPlatform().start(memory::close);
                gate.countDown();
                closer.join();
                queue.synchronize();
                assertEquals(7, copy.segment().get(ValueLayout.JAVA_BYTE, 3));
                assertEquals(0, uni.counts().usesAfterFree());
                copy.close();
                assertEquals(2, uni.counts().frees());
            }
        }
    }

    @Test
    @DisplayName("O4.1 a second close is harmless, a use after it is counted and refused")
    void useAfterFree() {
        try (DeviceDouble disc = TestDevices.discrete().open();
                Queue queue = disc.createQueue()) {
            Memory memory = disc.allocate(4);
            memory.close();
            memory.close();
            VtException e = assertThrows(VtException.class, () -> disc.memset(queue, memory, 0, (byte) 0, 4));
            assertEquals(ErrorCode.CLOSED, e.code());
            assertEquals(new DeviceDouble.Counts(1, 1, 1, 0, 0), disc.counts());
        }
    }

    @Test
    @DisplayName("O4.4 pinned memory that runs out: ten requests, four pinned, six ordinary, one counter")
    void pinnedLimit() {
        long size = 16L << 20;
        List<Memory> blocks = new ArrayList<>();
        try (DeviceDouble uni = TestDevices.unified().pinnedLimit(4 * size).open()) {
            for (int i = 0; i < 10; i++) {
                blocks.add(uni.allocatePinned(size));
            }
            assertEquals(4, blocks.stream().filter(Memory::pinned).count());
            assertEquals(6, uni.memoryUse().pinnedFallbacks());
            assertEquals(4 * size, uni.memoryUse().pinnedBytes());
            blocks.forEach(Memory::close);
            assertEquals(0, uni.memoryUse().pinnedBytes());
            assertEquals(10, uni.counts().frees());
        }
    }

    @Test
    @DisplayName("Failures as asked for: opening, one allocation")
    void failures() {
        DeviceDouble.Builder broken =
                TestDevices.discrete().type(DeviceType.CUDA).openFails("driver/library mismatch");
        assertTrue(assertThrows(VtException.class, broken::open).getMessage().contains("driver/library mismatch"));
        try (DeviceDouble uni = TestDevices.unified().failingAllocation(2).open();
                Memory first = uni.allocate(8)) {
            VtException e = assertThrows(VtException.class, () -> uni.allocate(8));
            assertEquals(ErrorCode.OUT_OF_MEMORY, e.code());
            uni.allocate(8).close();
            assertEquals(2, uni.counts().allocations());
            assertFalse(first.closed());
        }
    }

    @Test
    @DisplayName("Events, captures and the order of closing")
    void eventsAndGraphs() {
        DeviceDouble uni = TestDevices.unified().deferred(true).open();
        DoubleQueue queue = uni.createQueue();
        Memory memory = uni.allocate(4);
        try (Event event = uni.createEvent(true)) {
            assertTrue(event.query());
            uni.memset(queue, memory, 0, (byte) 3, 4);
            queue.record(event);
            event.synchronize();
            assertEquals(3, memory.segment().get(ValueLayout.JAVA_BYTE, 0));
        }
        queue.beginCapture();
        uni.memset(queue, memory, 0, (byte) 4, 4);
        try (Graph graph = queue.endCapture()) {
            assertEquals(uni.device(), graph.device());
            assertEquals(1, graph.nodes());
            assertEquals(3, memory.segment().get(ValueLayout.JAVA_BYTE, 0));
            graph.replay(queue);
            queue.synchronize();
            assertEquals(4, memory.segment().get(ValueLayout.JAVA_BYTE, 0));
        }
        long id = memory.id();
        memory.close();
        uni.close();
        uni.close();
        assertEquals(List.of("memory " + id, "queue " + queue.id(), "backend"), uni.journal());
        assertEquals(
                ErrorCode.CLOSED,
                assertThrows(VtException.class, () -> uni.allocate(1)).code());
    }

    @Test
    @DisplayName("S27 S28 the reference tier serves a unified device after its deferred work, and never a discrete one")
    void referenceTier() {
        try (VtRuntime runtime = VtRuntime.load();
                DeviceDouble uni = TestDevices.unified().deferred(true).open();
                DeviceDouble disc = TestDevices.discrete()
                        .hostAddressableNote("it has memory of its own")
                        .open()) {
            runtime.add(uni);
            runtime.add(disc);
            relu(runtime, uni);
            assertEquals(1, runtime.ops().referenceHits());
            assertEquals(0, uni.counts().unflushedWaits());
            VtException e = assertThrows(VtException.class, () -> relu(runtime, disc));
            assertEquals(ErrorCode.NO_KERNEL, e.code());
            assertTrue(e.getMessage().contains("it has memory of its own"), e.getMessage());
        }
    }

    private static void relu(VtRuntime runtime, DeviceDouble device) {
        try (DoubleQueue queue = device.createQueue();
                Memory in = device.allocate(16);
                Memory out = device.allocate(16)) {
            device.upload(queue, in, 0, MemorySegment.ofArray(new float[] {-1, 2, -3, 4}));
            new Ops(runtime.ops()).relu(queue, Tensor.of(out, DType.F32, 4), Tensor.of(in, DType.F32, 4));
            queue.synchronize();
            float[] result = device.reveal(out).toArray(ValueLayout.JAVA_FLOAT);
            assertEquals("[0.0, 2.0, 0.0, 4.0]", java.util.Arrays.toString(result));
            assertTrue(runtime.ops().providerCount(OpTable.RELU, device.device()) > 0);
        }
    }

    @Test
    @DisplayName("A queue or a block of another device is refused")
    void foreign() {
        try (CpuBackend cpu = new CpuBackend(1);
                Queue other = cpu.createQueue();
                DeviceDouble uni = TestDevices.unified().open();
                DeviceDouble disc = TestDevices.discrete().open();
                Memory memory = uni.allocate(4);
                Queue queue = disc.createQueue()) {
            assertThrows(VtException.class, () -> uni.memset(other, memory, 0, (byte) 0, 4));
            assertThrows(VtException.class, () -> disc.memset(queue, memory, 0, (byte) 0, 4));
            try (Event event = uni.createEvent(false)) {
                assertThrows(VtException.class, () -> queue.waitFor(event));
            }
        }
    }

    private static void await(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
