package dev.vt.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Event;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.Ops;
import dev.vt.registry.VtRuntime;
import dev.vt.testkit.SecondDevices.Kind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory, transfers and events of devices that are not the CPU. */
@DisplayName("Memory of a second device")
@Timeout(120)
class SecondDeviceMemoryTest {
    private static final SecondDevices DEVICES = new SecondDevices();

    @AfterAll
    static void close() {
        DEVICES.close();
    }

    private static byte[] bytes(DeviceDouble device, Queue queue, Memory memory) {
        byte[] bytes = new byte[Math.toIntExact(memory.size())];
        device.download(queue, MemorySegment.ofArray(bytes), memory, 0);
        queue.synchronize();
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("O4.1 two threads close one block and one queue at once, 1,000 times: each is freed once")
    void closeRace(Kind kind) throws Exception {
        try (DeviceDouble device = kind.builder().open()) {
            for (int i = 0; i < 1000; i++) {
                Memory memory = device.allocate(8);
                DoubleQueue queue = device.createQueue();
                device.memset(queue, memory, 0, (byte) 1, 8);
                Thread other = Thread.ofVirtual().start(() -> {
                    memory.close();
                    queue.close();
                });
                queue.close();
                memory.close();
                other.join();
                assertTrue(memory.closed());
            }
            assertEquals(1000, device.counts().frees());
            assertEquals(2000, device.journal().size());
            assertEquals(0, device.memoryUse().blocks());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName(
            "O4.2 a buffer closed right behind the kernel that uses it, 500 times: no kernel finds its memory gone")
    void closeBehindKernel(Kind kind) {
        try (DeviceDouble device = kind.builder().open();
                VtRuntime runtime = VtRuntime.load();
                Queue queue = device.createQueue();
                Memory out = device.allocate(8)) {
            runtime.add(device);
            runtime.add(DEVICES.provider(device));
            Ops ops = new Ops(runtime.ops());
            for (int i = 0; i < 500; i++) {
                Memory in = device.allocate(8);
                device.upload(queue, in, 0, MemorySegment.ofArray(new float[] {i, -i}));
                ops.relu(queue, Tensor.of(out, DType.F32, 2), Tensor.of(in, DType.F32, 2));
                in.close();
            }
            float[] last = new float[2];
            device.download(queue, MemorySegment.ofArray(last), out, 0);
            queue.synchronize();
            assertArrayEquals(new float[] {499, 0}, last);
            assertEquals(0, device.counts().usesAfterFree());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName(
            "O4.3 an event destroyed while another queue waits for it keeps the order; a query after it is an error")
    void destroyedEvent(Kind kind) {
        try (DeviceDouble device = kind.builder().open();
                DoubleQueue first = device.createQueue();
                DoubleQueue second = device.createQueue();
                Memory memory = device.allocate(8)) {
            CountDownLatch gate = new CountDownLatch(1);
            Event event = device.createEvent(false);
            first.submit(workers -> await(gate));
            device.memset(first, memory, 0, (byte) 1, 8);
            first.record(event);
            second.waitFor(event);
            device.memset(second, memory, 0, (byte) 2, 8);
            event.close();
            VtException e = assertThrows(VtException.class, event::query);
            assertEquals(ErrorCode.CLOSED, e.code());
            gate.countDown();
            second.synchronize();
            assertEquals(2, bytes(device, second, memory)[7]);
        }
    }

    private static void await(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName(
            "O4.4 pinned memory runs out: ten requests, four pinned, six ordinary, all copies right, the counter is 6")
    void pinned(Kind kind) {
        int size = 1 << 16;
        try (DeviceDouble device = kind.builder().pinnedLimit(4L * size).open();
                Queue queue = device.createQueue()) {
            List<Memory> blocks = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                Memory block = device.allocatePinned(size);
                blocks.add(block);
                device.memset(queue, block, 0, (byte) (i + 1), size);
            }
            for (int i = 0; i < 10; i++) {
                assertEquals(i < 4, blocks.get(i).pinned());
                byte[] copied = bytes(device, queue, blocks.get(i));
                assertEquals(i + 1, copied[0]);
                assertEquals(i + 1, copied[size - 1]);
            }
            assertEquals(6, device.memoryUse().pinnedFallbacks());
            blocks.forEach(Memory::close);
            try (Memory again = device.allocatePinned(size)) {
                assertTrue(again.pinned(), "what was given back can be had again");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("O4.8 negative and absurd sizes are refused with the size in the text, and count as no allocation")
    void absurdSizes(Kind kind) {
        try (DeviceDouble device = kind.builder().open()) {
            for (long size : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 46}) {
                VtException e = assertThrows(VtException.class, () -> device.allocate(size));
                assertTrue(e.getMessage().contains(String.valueOf(size)), e.getMessage());
            }
            assertEquals(0, device.memoryUse().blocks());
            assertEquals(0, device.counts().allocations());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("O4.11 zero bytes give valid, distinct blocks; fills, copies and ops on no rows do nothing; K=0 gives"
            + " zeros")
    void zero(Kind kind) {
        try (DeviceDouble device = kind.builder().open();
                VtRuntime runtime = VtRuntime.load();
                Queue queue = device.createQueue();
                Memory a = device.allocate(0);
                Memory b = device.allocate(0);
                Memory out = device.allocate(24)) {
            runtime.add(device);
            runtime.add(DEVICES.provider(device));
            assertNotEquals(a.id(), b.id());
            device.memset(queue, a, 0, (byte) 1, 0);
            device.copy(queue, b, 0, a, 0, 0);
            device.upload(queue, a, 0, MemorySegment.ofArray(new byte[0]));
            device.memset(queue, out, 0, (byte) 7, 24);
            Ops ops = new Ops(runtime.ops());
            ops.matmul(queue, of(a, 0, 3), of(b, 0, 0), of(b, 0, 3));
            ops.matmul(queue, of(a, 2, 0), of(b, 2, 0), of(b, 0, 0));
            queue.synchronize();
            assertEquals(7, bytes(device, queue, out)[0], "nothing is written where there are no rows");
            ops.matmul(queue, of(out, 2, 3), of(a, 2, 0), of(b, 0, 3));
            assertArrayEquals(new byte[24], bytes(device, queue, out));
        }
    }

    private static Tensor of(Memory memory, long rows, long columns) {
        return Tensor.of(memory, DType.F32, rows, columns);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName(
            "O4.14 a block allocated on one thread is used by a kernel called on a second and freed on a third, virtual"
                    + " ones too")
    void threads(Kind kind) throws Exception {
        try (DeviceDouble device = kind.builder().open();
                VtRuntime runtime = VtRuntime.load()) {
            runtime.add(device);
            runtime.add(DEVICES.provider(device));
            for (Thread.Builder builder : List.of(Thread.ofPlatform(), Thread.ofVirtual())) {
                AtomicReference<Queue> queue = new AtomicReference<>();
                AtomicReference<Memory> memory = new AtomicReference<>();
                on(builder, () -> {
                    queue.set(device.createQueue());
                    memory.set(device.allocate(8));
                });
                on(builder, () -> {
                    Queue q = queue.get();
                    Tensor t = Tensor.of(memory.get(), DType.F32, 2);
                    device.upload(q, memory.get(), 0, MemorySegment.ofArray(new float[] {-1, 1}));
                    new Ops(runtime.ops()).relu(q, t, t);
                    float[] result = new float[2];
                    device.download(q, MemorySegment.ofArray(result), memory.get(), 0);
                    q.synchronize();
                    assertArrayEquals(new float[] {0, 1}, result);
                });
                on(builder, () -> {
                    memory.get().close();
                    queue.get().close();
                });
            }
            assertEquals(device.counts().allocations(), device.counts().frees());
            assertTrue(runtime.ops().registered(OpTable.RELU, device.device()));
        }
    }

    private static void on(Thread.Builder builder, Runnable work) throws InterruptedException {
        AtomicReference<Throwable> fault = new AtomicReference<>();
        Thread thread = builder.start(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                fault.set(e);
            }
        });
        thread.join();
        if (fault.get() != null) {
            throw new AssertionError(fault.get());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName(
            "O4.15 heap, direct, mapped and read-only segments are uploaded right; a closed one is refused, and so is"
                    + " another thread's confined one")
    void segments(Kind kind, @TempDir Path folder) throws Exception {
        byte[] bytes = {1, 2, 3};
        Path file = Files.write(folder.resolve("bytes"), bytes);
        try (DeviceDouble device = kind.builder().open();
                Queue queue = device.createQueue();
                Memory memory = device.allocate(3);
                Arena arena = Arena.ofConfined()) {
            MemorySegment direct = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(3));
            direct.copyFrom(MemorySegment.ofArray(bytes));
            MemorySegment confined = arena.allocate(3).copyFrom(MemorySegment.ofArray(bytes));
            List<MemorySegment> all = List.of(
                    MemorySegment.ofArray(bytes),
                    MemorySegment.ofArray(bytes).asReadOnly(),
                    direct,
                    confined,
                    mapped(file, arena));
            for (MemorySegment segment : all) {
                device.memset(queue, memory, 0, (byte) 0, 3);
                device.upload(queue, memory, 0, segment);
                assertArrayEquals(bytes, bytes(device, queue, memory));
            }
            Arena gone = Arena.ofShared();
            MemorySegment closed = gone.allocate(3);
            gone.close();
            assertThrows(RuntimeException.class, () -> device.upload(queue, memory, 0, closed));
            on(
                    Thread.ofPlatform(),
                    () -> assertThrows(RuntimeException.class, () -> device.upload(queue, memory, 0, confined)));
            assertArrayEquals(bytes, bytes(device, queue, memory), "nothing of the refused ones was queued");
        }
    }

    private static MemorySegment mapped(Path file, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, 3, arena);
        }
    }

    @Test
    @DisplayName(
            "S27 the host reads a unified device's memory as it is, and finds nothing behind a discrete one's segment")
    void hidden() {
        try (DeviceDouble unified = Kind.UNIFIED.builder().open();
                DeviceDouble discrete = Kind.DISCRETE.builder().open();
                Memory shown = unified.allocate(8);
                Memory hidden = discrete.allocate(8)) {
            assertEquals(8, shown.segment().byteSize());
            assertEquals(0, hidden.segment().byteSize());
            assertFalse(hidden.hostAddressable());
        }
    }
}
