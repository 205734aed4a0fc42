package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.device.Event;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Embedding;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class QueueTest extends OnFakeDevice {
    private final Embedding embedding = new CudaNativeProvider().kernels().get(OpTable.EMBEDDING);

    @Test
    @DisplayName("B3 ids are unique and rise; closing drains, may be repeated, and later use is refused by name")
    void ids() {
        Queue other = cuda.createQueue();
        assertTrue(other.id() > queue.id());
        driver.hold();
        Memory block = cuda.allocate(8);
        cuda.memset(other, block, 0, (byte) 3, 8);
        other.close();
        other.close();
        refused(ErrorCode.CLOSED, other::synchronize, "queue " + other.id());
        refused(ErrorCode.CLOSED, other::beginCapture, "queue " + other.id());
        refused(ErrorCode.CLOSED, () -> cuda.memset(other, block, 0, (byte) 3, 8), "queue " + other.id());
        assertEquals(3, bytes(block)[7]);
        assertEquals(1, cuda.memoryUse().queues());
    }

    @Test
    @DisplayName("O4.14 B3 any thread, virtual ones too, uses a queue: the context is current in each native call")
    void threads() throws Exception {
        AtomicReference<Memory> block = new AtomicReference<>();
        AtomicReference<byte[]> read = new AtomicReference<>();
        List<Runnable> steps = List.of(
                () -> block.set(cuda.allocate(16)),
                () -> cuda.memset(queue, block.get(), 0, (byte) 8, 16),
                () -> read.set(bytes(block.get())),
                () -> block.get().close());
        for (int i = 0; i < steps.size(); i++) {
            Thread thread = i % 2 == 0
                    ? Thread.ofVirtual().start(steps.get(i))
                    : Thread.ofPlatform().start(steps.get(i));
            thread.join();
        }
        assertEquals(8, read.get()[15]);
        List<Thread> many = new ArrayList<>();
        for (int t = 0; t < 64; t++) {
            many.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < 20; i++) {
                    try (Memory own = cuda.allocate(32)) {
                        cuda.memset(queue, own, 0, (byte) i, 32);
                        Thread.yield();
                        queue.synchronize();
                    }
                }
            }));
        }
        for (Thread t : many) {
            t.join();
        }
    }

    private void embed(Queue on, Memory out, Memory table, Memory ids, int n) {
        embedding.run(
                on, Tensor.of(out, DType.F32, n, 2), Tensor.of(table, DType.F32, 3, 2), Tensor.of(ids, DType.I32, n));
    }

    @Test
    @DisplayName("B4 a fault that only data show fails the queue before anything is written, is told once, and "
            + "discards later kernels; another queue goes on")
    void fault() {
        Memory table = floats(0, 1, 10, 11, 20, 21);
        Memory out = floats(7, 7, 7, 7);
        Memory bad = cuda.allocate(8);
        Memory good = cuda.allocate(8);
        cuda.upload(queue, bad, 0, ints(1, 3));
        cuda.upload(queue, good, 0, ints(2, 1));
        driver.hold();
        embed(queue, out, table, bad, 2);
        embed(queue, out, table, good, 2);
        String sentence = "op embedding on cuda:0: ids[1]: expected 0 to 2, given 3";
        refused(
                ErrorCode.KERNEL_FAILED,
                queue::synchronize,
                "queue " + queue.id() + " of cuda:0: a task failed: ",
                sentence);
        assertArrayEquals(new float[] {7, 7, 7, 7}, read(queue, out));
        queue.synchronize();
        embed(queue, out, table, good, 2);
        assertArrayEquals(new float[] {20, 21, 10, 11}, read(queue, out));
        StreamQueue other = (StreamQueue) cuda.createQueue();
        embed(queue, out, table, bad, 2);
        embed(other, out, table, good, 1);
        cuda.drain();
        other.synchronize();
        refused(ErrorCode.KERNEL_FAILED, queue::synchronize, sentence);
    }

    @Test
    @DisplayName("B6 an unrecorded event is complete; a recorded one when the work is done; query never waits")
    void events() {
        for (boolean blocking : new boolean[] {true, false}) {
            Event event = cuda.createEvent(blocking);
            assertTrue(event.query());
            event.synchronize();
            driver.hold();
            Memory block = cuda.allocate(8);
            cuda.memset(queue, block, 0, (byte) 1, 8);
            queue.record(event);
            assertFalse(event.query());
            event.synchronize();
            assertTrue(event.query());
            driver.go();
            event.close();
        }
    }

    @Test
    @DisplayName("O4.3 a queue waits for an event that was destroyed meanwhile; then query is refused")
    void destroyed() {
        StreamQueue other = (StreamQueue) cuda.createQueue();
        Memory block = cuda.allocate(8);
        Event event = cuda.createEvent(false);
        driver.hold();
        cuda.memset(queue, block, 0, (byte) 1, 8);
        queue.record(event);
        other.waitFor(event);
        event.close();
        event.close();
        cuda.memset(other, block, 0, (byte) 2, 4);
        other.synchronize();
        assertArrayEquals(new byte[] {2, 2, 2, 2, 1, 1, 1, 1}, bytes(block));
        refused(ErrorCode.CLOSED, event::query, "event of cuda:0");
        refused(ErrorCode.CLOSED, () -> queue.record(event), "event of cuda:0");
    }

    @Test
    @DisplayName("B6 an event of one device on another's queue is refused by name")
    void foreignEvent() throws Exception {
        driver.close();
        driver = new FakeDriver(cache);
        driver.devices(2);
        var both = driver.find();
        Queue first = both.get(0).createQueue();
        Event second = both.get(1).createEvent(false);
        refused(ErrorCode.INVALID_ARGUMENT, () -> first.record(second), "cuda:0", "cuda:1");
        refused(ErrorCode.INVALID_ARGUMENT, () -> first.waitFor(second), "cuda:0", "cuda:1");
        second.close();
    }
}
