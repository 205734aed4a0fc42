package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.device.Graph;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.device.StaleGraphException;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GraphTest extends OnFakeDevice {
    private final KernelSet kernels = new CudaNativeProvider().kernels();

    private void add(Queue on, Memory out, Memory a, Memory b) {
        int n = (int) (out.size() / 4);
        kernels.get(OpTable.ADD)
                .run(on, Tensor.of(out, DType.F32, n), Tensor.of(a, DType.F32, n), Tensor.of(b, DType.F32, n));
    }

    @Test
    @DisplayName("B7 what is given during a capture is kept and not done; each replay does it once, on any queue")
    void captureAndReplay() {
        Memory sum = floats(1, 2);
        Memory step = floats(10, 20);
        queue.beginCapture();
        assertTrue(queue.capturing());
        add(queue, sum, sum, step);
        add(queue, sum, sum, step);
        Graph graph = queue.endCapture();
        assertFalse(queue.capturing());
        assertArrayEquals(new float[] {1, 2}, read(queue, sum));
        assertEquals(2, graph.nodes());
        graph.replay(queue);
        Queue other = cuda.createQueue();
        queue.synchronize();
        graph.replay(other);
        graph.replay(other);
        assertArrayEquals(new float[] {61, 122}, read(other, sum));
        graph.close();
        graph.close();
        refused(ErrorCode.CLOSED, () -> graph.replay(queue), "graph of cuda:0");
    }

    @Test
    @DisplayName("B7 the stored graph is replayed, replaced and closed with its queue")
    void stored() {
        refused(ErrorCode.INVALID_ARGUMENT, queue::replayStored, "no graph is stored");
        Memory sum = floats(0);
        for (float value : new float[] {1, 100}) {
            Memory step = floats(value);
            queue.beginCapture();
            add(queue, sum, sum, step);
            queue.endCaptureStored();
            queue.replayStored();
            queue.replayStored();
        }
        assertArrayEquals(new float[] {202}, read(queue, sum));
        assertEquals(1, driver.live(FakeDriver.Kind.EXECS));
        queue.close();
        assertEquals(0, driver.live(FakeDriver.Kind.EXECS));
    }

    @Test
    @DisplayName("B7 fills, copies and uploads are recorded, and a graph owns the bytes that it recorded")
    void transfers() {
        Memory block = floats(0, 0, 0);
        float[] source = {5, 6};
        queue.beginCapture();
        cuda.memset(queue, block, 0, (byte) 0, 12);
        cuda.upload(queue, block, 4, MemorySegment.ofArray(source));
        Graph graph = queue.endCapture();
        source[0] = source[1] = -1;
        graph.replay(queue);
        assertArrayEquals(new float[] {0, 5, 6}, read(queue, block));
        graph.close();
    }

    @Test
    @DisplayName("O4.7 replay after a block was closed is an error that names the block, before launch; capturing again"
            + " works")
    void closedBlock() {
        Memory sum = floats(1);
        Memory step = floats(2);
        queue.beginCapture();
        add(queue, sum, sum, step);
        Graph graph = queue.endCapture();
        step.close();
        long before = driver.launches();
        StaleGraphException e = assertThrows(StaleGraphException.class, () -> graph.replay(queue));
        assertTrue(e.getMessage().contains("memory block " + step.id()), e.getMessage());
        assertEquals(before, driver.launches());
        graph.close();
        Memory again = floats(3);
        queue.beginCapture();
        add(queue, sum, sum, again);
        Graph second = queue.endCapture();
        second.replay(queue);
        assertArrayEquals(new float[] {4}, read(queue, sum));
        second.close();
    }

    @Test
    @DisplayName("S17 a graph names its providers, enters them for a launch, and is stale when one has left")
    void owners() {
        AtomicBoolean gone = new AtomicBoolean();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger entries = new AtomicInteger();
        KernelOwner owner = new KernelOwner() {
            @Override
            public String name() {
                return "lent";
            }

            @Override
            public boolean enter() {
                entries.incrementAndGet();
                inside.incrementAndGet();
                if (gone.get()) {
                    inside.decrementAndGet();
                }
                return !gone.get();
            }

            @Override
            public void exit() {
                inside.decrementAndGet();
            }
        };
        queue.noteOwner(owner);
        queue.beginCapture();
        queue.noteOwner(owner);
        queue.noteOwner(owner);
        Graph graph = queue.endCapture();
        assertEquals(List.of(owner), graph.owners());
        assertEquals(1, entries.get(), "while the graph is made");
        graph.replay(queue);
        assertEquals(2, entries.get());
        gone.set(true);
        StaleGraphException e = assertThrows(StaleGraphException.class, () -> graph.replay(queue));
        assertTrue(e.getMessage().contains("provider lent"), e.getMessage());
        assertEquals(0, inside.get());
        graph.close();
    }

    @Test
    @DisplayName(
            "B7 O4.5 allocation during a capture is refused by name, the capture ends, and the queue is usable again")
    void allocation() {
        queue.beginCapture();
        refused(
                ErrorCode.UNSUPPORTED,
                () -> cuda.allocate(64),
                "queue " + queue.id(),
                "allocate of 64 bytes",
                "the capture has been ended");
        assertFalse(queue.capturing());
        refused(ErrorCode.INVALID_ARGUMENT, queue::endCapture, "was ended before", "allocate of 64 bytes");
        Memory sum = floats(1);
        add(queue, sum, sum, floats(1));
        assertArrayEquals(new float[] {2}, read(queue, sum));
        refused(ErrorCode.INVALID_ARGUMENT, queue::endCapture, "no capture is on");
    }

    @Test
    @DisplayName("O4.6 captures are relaxed, and other threads that allocate, copy and free do not break one")
    void others() throws Exception {
        Memory sum = floats(0);
        Memory step = floats(1);
        for (int round = 0; round < 20; round++) {
            queue.beginCapture();
            add(queue, sum, sum, step);
            Thread other = Thread.ofPlatform().start(() -> {
                Queue own = cuda.createQueue();
                driver.hold();
                Memory block = cuda.allocate(4096);
                cuda.memset(own, block, 0, (byte) 1, 4096);
                cuda.allocate(64).close();
                own.synchronize();
                block.close();
                own.close();
                driver.go();
            });
            other.join();
            Graph graph = queue.endCapture();
            graph.replay(queue);
            queue.synchronize();
            graph.close();
        }
        assertArrayEquals(new float[] {20}, read(queue, sum));
        assertEquals(2, driver.captureMode());
    }

    @Test
    @DisplayName("O4.14 a capture may end on another thread, virtual ones too, than it began on")
    void threads() throws Exception {
        Memory sum = floats(1);
        Memory step = floats(1);
        Graph[] graph = new Graph[1];
        Thread.ofVirtual().start(queue::beginCapture).join();
        Thread.ofVirtual().start(() -> add(queue, sum, sum, step)).join();
        Thread.ofVirtual().start(() -> graph[0] = queue.endCapture()).join();
        graph[0].replay(queue);
        assertArrayEquals(new float[] {2}, read(queue, sum));
        graph[0].close();
    }

    @Test
    @DisplayName(
            "B7 waiting, recording and downloading during a capture is refused with a sentence and leaves it as it was")
    void misuse() {
        Memory block = floats(1);
        queue.beginCapture();
        refused(ErrorCode.UNSUPPORTED, queue::synchronize, "during a capture");
        refused(ErrorCode.UNSUPPORTED, () -> queue.record(cuda.createEvent(false)), "during a capture");
        refused(ErrorCode.UNSUPPORTED, () -> bytes(block), "allocatePinned");
        refused(ErrorCode.INVALID_ARGUMENT, queue::beginCapture, "already on");
        cuda.memset(queue, block, 0, (byte) 0, 4);
        Graph graph = queue.endCapture();
        assertEquals(1, graph.nodes());
        graph.close();
    }

    @Test
    @DisplayName("B7 a fault in a replay fails the queue that replays, and the rest of the graph is not done")
    void fault() {
        Memory table = floats(1, 2);
        Memory out = floats(0);
        Memory ids = cuda.allocate(4);
        cuda.upload(queue, ids, 0, ints(9));
        queue.beginCapture();
        kernels.get(OpTable.EMBEDDING)
                .run(
                        queue,
                        Tensor.of(out, DType.F32, 1, 1),
                        Tensor.of(table, DType.F32, 2, 1),
                        Tensor.of(ids, DType.I32, 1));
        add(queue, out, out, out);
        Graph graph = queue.endCapture();
        Queue other = cuda.createQueue();
        queue.synchronize();
        graph.replay(other);
        refused(ErrorCode.KERNEL_FAILED, other::synchronize, "ids[0]: expected 0 to 1, given 9");
        queue.synchronize();
        cuda.upload(queue, ids, 0, ints(1));
        graph.replay(queue);
        assertArrayEquals(new float[] {4}, read(queue, out));
        graph.close();
    }

    @Test
    @DisplayName("O4.2 a graph that is closed behind its replay ends after it")
    void closeBehindReplay() {
        Memory sum = floats(1);
        Memory step = floats(1);
        queue.beginCapture();
        add(queue, sum, sum, step);
        Graph graph = queue.endCapture();
        driver.hold();
        graph.replay(queue);
        graph.close();
        assertArrayEquals(new float[] {2}, read(queue, sum));
    }
}
