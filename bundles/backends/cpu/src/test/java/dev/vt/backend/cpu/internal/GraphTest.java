package dev.vt.backend.cpu.internal;

import static dev.vt.backend.cpu.internal.Errors.refused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Graph;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.Memory;
import dev.vt.api.device.StaleGraphException;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuQueue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GraphTest {
    private final CpuBackend backend = new CpuBackend(2);
    private final CpuQueue queue = backend.createQueue();

    @AfterEach
    void close() {
        backend.close();
    }

    /** A provider that can leave, and counts who is inside. */
    private static final class Owner implements KernelOwner {
        private final String name;
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger entries = new AtomicInteger();
        private volatile boolean gone;

        Owner(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public boolean enter() {
            if (gone) {
                return false;
            }
            entries.incrementAndGet();
            inside.incrementAndGet();
            return true;
        }

        @Override
        public void exit() {
            inside.decrementAndGet();
        }
    }

    @Test
    @DisplayName("B7 what is given during a capture is kept and not done; each replay does it once, in order, on any "
            + "queue")
    void captureAndReplay() {
        AtomicInteger value = new AtomicInteger(1);
        queue.submit(workers -> value.addAndGet(1));
        assertFalse(queue.capturing());
        queue.beginCapture();
        assertTrue(queue.capturing());
        queue.submit(workers -> value.set(value.get() * 3));
        queue.submit(workers -> value.addAndGet(1));
        Graph graph = queue.endCapture();
        assertFalse(queue.capturing());
        queue.synchronize();
        assertEquals(2, value.get());
        assertEquals(2, graph.nodes());
        assertEquals(queue.device(), graph.device());
        graph.replay(queue);
        queue.synchronize();
        assertEquals(7, value.get());
        CpuQueue other = backend.createQueue();
        graph.replay(other);
        graph.replay(other);
        other.synchronize();
        assertEquals(67, value.get());
        graph.close();
        graph.close();
        refused(ErrorCode.CLOSED, () -> graph.replay(queue), "graph of cpu:0");
    }

    @Test
    @DisplayName("B7 many graphs live side by side, and the stored one is replaced and closed")
    void manyGraphs() {
        AtomicInteger value = new AtomicInteger();
        Graph[] graphs = new Graph[10];
        for (int i = 0; i < 10; i++) {
            int add = (int) Math.pow(2, i);
            queue.beginCapture();
            queue.submit(workers -> value.addAndGet(add));
            graphs[i] = queue.endCapture();
        }
        for (int i = 9; i >= 0; i -= 2) {
            graphs[i].replay(queue);
        }
        queue.synchronize();
        assertEquals(0b1010101010, value.get());
        refused(ErrorCode.INVALID_ARGUMENT, queue::replayStored, "queue " + queue.id(), "no graph is stored");
        for (int add : new int[] {1000, 5000}) {
            value.set(0);
            queue.beginCapture();
            queue.submit(workers -> value.addAndGet(add));
            queue.endCaptureStored();
            queue.replayStored();
            queue.replayStored();
            queue.synchronize();
            assertEquals(2 * add, value.get());
        }
    }

    @Test
    @DisplayName("B7 copies and fills are recorded; a graph owns the host bytes that it recorded")
    void recordedTransfers() {
        Memory a = backend.allocate(4);
        Memory b = backend.allocate(8);
        byte[] host = {1, 2, 3, 4};
        byte[] out = new byte[8];
        queue.beginCapture();
        backend.upload(queue, a, 0, MemorySegment.ofArray(host));
        backend.memset(queue, b, 0, (byte) 9, 8);
        backend.copy(queue, b, 2, a, 1, 3);
        backend.download(queue, MemorySegment.ofArray(out), b, 0);
        Graph graph = queue.endCapture();
        assertEquals(4, graph.nodes());
        java.util.Arrays.fill(host, (byte) 0);
        queue.synchronize();
        assertEquals(0, out[2]);
        for (int i = 0; i < 3; i++) {
            b.segment().fill((byte) 0);
            graph.replay(queue);
            queue.synchronize();
            assertArrayEquals(new byte[] {9, 9, 2, 3, 4, 9, 9, 9}, out);
        }
    }

    @Test
    @DisplayName("S17 a graph names its providers once each, enters them for a launch, and is stale when one has left")
    void owners() {
        Owner x = new Owner("x");
        Owner y = new Owner("y");
        AtomicInteger ran = new AtomicInteger();
        queue.noteOwner(x);
        queue.beginCapture();
        queue.submit(workers -> ran.incrementAndGet());
        for (KernelOwner o : List.of(y, x, y)) {
            queue.noteOwner(o);
        }
        Graph graph = queue.endCapture();
        assertEquals(List.of(y, x), graph.owners());
        graph.replay(queue);
        queue.synchronize();
        assertEquals(1, ran.get());
        assertEquals(1, x.entries.get());
        x.gone = true;
        assertInstanceOf(
                StaleGraphException.class, refused(ErrorCode.STALE_GRAPH, () -> graph.replay(queue), "provider x"));
        queue.synchronize();
        assertEquals(1, ran.get());
        assertEquals(0, x.inside.get());
        assertEquals(0, y.inside.get());
        assertEquals(2, y.entries.get());
    }

    @Test
    @DisplayName("O4.7 replay after a block was closed is an error that names the block, before launch; capturing "
            + "again works")
    void closedMemory() {
        Memory kept = backend.allocate(16);
        Memory gone = backend.allocate(16);
        AtomicInteger ran = new AtomicInteger();
        Tensor a = Tensor.of(kept, DType.F32, 4);
        Tensor b = Tensor.of(gone, DType.F32, 4);
        queue.beginCapture();
        queue.uses(a, b);
        queue.submit(workers -> ran.incrementAndGet());
        Graph graph = queue.endCapture();
        graph.replay(queue);
        gone.close();
        queue.synchronize();
        assertEquals(1, ran.get());
        refused(ErrorCode.STALE_GRAPH, () -> graph.replay(queue), "block " + gone.id());
        queue.synchronize();
        assertEquals(1, ran.get());
        queue.beginCapture();
        queue.uses(a);
        queue.submit(workers -> ran.incrementAndGet());
        queue.endCapture().replay(queue);
        queue.synchronize();
        assertEquals(2, ran.get());
        // Outside a capture it does nothing.
        queue.uses(a);
    }

    @Test
    @DisplayName("O4.7 a block closed right behind a queued replay is freed after it")
    void closeBehindReplay() {
        CpuQueue other = backend.createQueue();
        Memory memory = backend.allocate(64);
        MemorySegment segment = memory.segment();
        AtomicInteger seen = new AtomicInteger();
        queue.beginCapture();
        backend.memset(queue, memory, 0, (byte) 5, 64);
        queue.submit(workers -> seen.set(segment.get(ValueLayout.JAVA_BYTE, 63)));
        Graph graph = queue.endCapture();
        Gate gate = Gate.in(other).entered();
        graph.replay(other);
        Thread closing = Thread.ofVirtual().start(memory::close);
        Gate.until(memory::closed);
        graph.close();
        gate.open();
        other.synchronize();
        assertEquals(5, seen.get());
        Gate.until(() -> !closing.isAlive());
    }

    @Test
    @DisplayName("B7 O4.5 allocation during a capture is refused by name, the capture ends, and the queue is usable "
            + "again")
    void allocateInCapture() {
        AtomicInteger ran = new AtomicInteger();
        queue.beginCapture();
        queue.submit(workers -> ran.addAndGet(100));
        refused(
                ErrorCode.UNSUPPORTED,
                () -> backend.allocate(4096),
                "queue " + queue.id(),
                "allocate of 4096 bytes",
                "capture");
        assertFalse(queue.capturing());
        refused(ErrorCode.INVALID_ARGUMENT, queue::endCapture, "endCapture", "allocate of 4096 bytes");
        queue.submit(workers -> ran.incrementAndGet());
        queue.synchronize();
        assertEquals(1, ran.get());
        backend.allocate(4096).close();
        queue.beginCapture();
        queue.submit(workers -> ran.addAndGet(10));
        queue.endCapture().replay(queue);
        queue.synchronize();
        assertEquals(11, ran.get());
    }

    @Test
    @DisplayName("O4.6 another thread that allocates and copies on its own queue does not disturb a capture, 200 "
            + "rounds")
    void otherThreads() throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicInteger rounds = new AtomicInteger();
        Thread copier = Thread.ofPlatform().start(() -> {
            try (CpuQueue own = backend.createQueue()) {
                while (!stop.get()) {
                    try (Memory a = backend.allocate(100);
                            Memory b = backend.allocate(100)) {
                        backend.memset(own, a, 0, (byte) 3, 100);
                        backend.copy(own, b, 0, a, 0, 100);
                        own.synchronize();
                        assertEquals(3, b.segment().get(ValueLayout.JAVA_BYTE, 99));
                    }
                    rounds.incrementAndGet();
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        AtomicInteger value = new AtomicInteger();
        for (int i = 0; i < 200; i++) {
            int before = rounds.get();
            queue.beginCapture();
            queue.submit(workers -> value.incrementAndGet());
            Gate.until(() -> rounds.get() > before || failure.get() != null);
            queue.submit(workers -> value.incrementAndGet());
            try (Graph graph = queue.endCapture()) {
                assertEquals(2, graph.nodes());
                graph.replay(queue);
            }
        }
        queue.synchronize();
        stop.set(true);
        copier.join();
        assertEquals(null, failure.get());
        assertEquals(400, value.get());
    }

    @Test
    @DisplayName("B7 a replay during a capture becomes part of the new graph, with its providers and memory")
    void nestedReplay() {
        Memory memory = backend.allocate(4);
        Owner owner = new Owner("inner");
        AtomicInteger value = new AtomicInteger();
        queue.beginCapture();
        backend.memset(queue, memory, 0, (byte) 1, 4);
        queue.submit(workers -> value.incrementAndGet());
        queue.noteOwner(owner);
        Graph inner = queue.endCapture();
        queue.beginCapture();
        inner.replay(queue);
        inner.replay(queue);
        Graph outer = queue.endCapture();
        queue.synchronize();
        assertEquals(0, value.get());
        assertEquals(4, outer.nodes());
        assertEquals(List.of(owner), outer.owners());
        inner.close();
        outer.replay(queue);
        queue.synchronize();
        assertEquals(2, value.get());
        memory.close();
        refused(ErrorCode.STALE_GRAPH, () -> outer.replay(queue), "block " + memory.id());
    }

    @Test
    @DisplayName("B7 misuse of a capture is refused with a sentence and leaves the capture as it was")
    void misuse() {
        String name = "queue " + queue.id();
        refused(ErrorCode.INVALID_ARGUMENT, queue::endCapture, name, "no capture is on");
        queue.beginCapture();
        refused(ErrorCode.INVALID_ARGUMENT, queue::beginCapture, name, "already on");
        refused(ErrorCode.UNSUPPORTED, queue::synchronize, name, "during a capture");
        refused(ErrorCode.UNSUPPORTED, () -> queue.record(backend.createEvent(true)), name, "record");
        refused(ErrorCode.UNSUPPORTED, () -> queue.waitFor(backend.createEvent(true)), name, "waitFor");
        assertTrue(queue.capturing());
        Graph graph = queue.endCapture();
        assertEquals(0, graph.nodes());
        graph.replay(queue);
        queue.synchronize();
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> graph.replay(new Foreign(Device.of(DeviceType.CUDA)).queue()),
                "cuda:0",
                "cpu:0");
    }

    @Test
    @DisplayName("B7 a task that fails in a replay fails the queue, and the rest of the graph is not done")
    void failingReplay() {
        AtomicInteger ran = new AtomicInteger();
        queue.beginCapture();
        queue.submit(workers -> {
            throw new IllegalStateException("inside the graph");
        });
        queue.submit(workers -> ran.incrementAndGet());
        Graph graph = queue.endCapture();
        graph.replay(queue);
        graph.replay(queue);
        refused(ErrorCode.KERNEL_FAILED, queue::synchronize, "inside the graph");
        assertEquals(0, ran.get());
    }
}
