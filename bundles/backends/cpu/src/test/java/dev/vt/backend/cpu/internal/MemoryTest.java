package dev.vt.backend.cpu.internal;

import static dev.vt.backend.cpu.internal.Errors.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Memory;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuQueue;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryTest {
    private final CpuBackend backend = new CpuBackend(2);

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    @DisplayName("B1 memory is aligned to 64 bytes and zeroed, whatever its size")
    void alignment() {
        for (long size : new long[] {0, 1, 7, 63, 64, 65, 4095, 1_000_003}) {
            try (Memory m = backend.allocate(size)) {
                assertEquals(size, m.size());
                assertEquals(size, m.segment().byteSize());
                assertEquals(0, m.segment().address() % 64);
                assertTrue(m.hostAddressable());
                for (long i = 0; i < size; i += 61) {
                    assertEquals(0, m.segment().get(ValueLayout.JAVA_BYTE, i));
                }
            }
        }
        assertEquals(0, backend.memoryUse().blocks());
    }

    @Test
    @DisplayName("B1 O4.11 zero bytes give valid, distinct blocks that can be filled, copied and freed")
    void zeroSize() {
        try (Memory a = backend.allocate(0);
                Memory b = backend.allocate(0);
                CpuQueue queue = backend.createQueue()) {
            assertNotEquals(a.id(), b.id());
            assertNotEquals(a.segment().address(), b.segment().address());
            assertEquals(2, backend.memoryUse().blocks());
            assertEquals(0, backend.memoryUse().bytes());
            backend.memset(queue, a, 0, (byte) 1, 0);
            backend.copy(queue, b, 0, a, 0, 0);
            backend.upload(queue, a, 0, MemorySegment.ofArray(new byte[0]));
            backend.download(queue, MemorySegment.ofArray(new byte[0]), a, 0);
            queue.synchronize();
            refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> backend.memset(queue, a, 0, (byte) 1, 1),
                    "block " + a.id(),
                    "0 bytes");
        }
        assertEquals(0, backend.memoryUse().blocks());
    }

    @Test
    @Tag("slow")
    @DisplayName("B1 O4.8 sizes about and above 2^31 work, or fail with the size in the text")
    void largeSizes() {
        for (long size : new long[] {(1L << 31) - 1, 1L << 31, (1L << 31) + 1, 3_000_000_000L}) {
            worksOrSays(size);
        }
        assertEquals(0, backend.memoryUse().bytes());
    }

    @Test
    @DisplayName("B1 O4.8 negative and absurd sizes are refused with the size in the text")
    void absurdSizes() {
        refused(ErrorCode.INVALID_ARGUMENT, () -> backend.allocate(-1), "-1 bytes", "cpu:0");
        refused(ErrorCode.INVALID_ARGUMENT, () -> backend.allocate(Long.MIN_VALUE), String.valueOf(Long.MIN_VALUE));
        refused(
                ErrorCode.OUT_OF_MEMORY,
                () -> backend.allocate(Long.MAX_VALUE),
                String.valueOf(Long.MAX_VALUE),
                "cpu:0");
        refused(ErrorCode.OUT_OF_MEMORY, () -> backend.allocate(1L << 46), String.valueOf(1L << 46));
        refused(ErrorCode.INVALID_ARGUMENT, () -> backend.allocatePinned(-5), "-5 bytes");
        assertEquals(0, backend.memoryUse().bytes());
    }

    private void worksOrSays(long size) {
        try (Memory m = backend.allocate(size)) {
            assertEquals(size, m.size());
            m.segment().set(ValueLayout.JAVA_BYTE, size - 1, (byte) 9);
            assertEquals(size, backend.memoryUse().bytes());
        } catch (VtException e) {
            assertEquals(ErrorCode.OUT_OF_MEMORY, e.code());
            assertTrue(String.valueOf(e.getMessage()).contains(String.valueOf(size)), e.getMessage());
        }
    }

    @Test
    @DisplayName("B1 use after close is an error that names the block; a second close is harmless")
    void useAfterClose() {
        Memory m = backend.allocate(64);
        Memory other = backend.allocate(64);
        CpuQueue queue = backend.createQueue();
        m.close();
        m.close();
        assertTrue(m.closed());
        String name = "block " + m.id();
        refused(ErrorCode.CLOSED, m::segment, name, Thread.currentThread().getName());
        refused(ErrorCode.CLOSED, () -> Tensor.of(m, DType.F32, 4), name);
        refused(ErrorCode.CLOSED, () -> backend.memset(queue, m, 0, (byte) 0, 1), name);
        refused(ErrorCode.CLOSED, () -> backend.copy(queue, other, 0, m, 0, 1), name);
        refused(ErrorCode.CLOSED, () -> backend.copy(queue, m, 0, other, 0, 1), name);
        refused(ErrorCode.CLOSED, () -> backend.upload(queue, m, 0, MemorySegment.ofArray(new byte[1])), name);
        refused(ErrorCode.CLOSED, () -> backend.download(queue, MemorySegment.ofArray(new byte[1]), m, 0), name);
    }

    @Test
    @DisplayName("O4.1 two threads close one block at once, 1,000 times: it is freed once")
    void closeRace() throws Exception {
        try (ExecutorService two = Executors.newFixedThreadPool(2)) {
            for (int i = 0; i < 1000; i++) {
                Memory m = backend.allocate(128);
                CountDownLatch both = new CountDownLatch(2);
                Runnable closing = () -> {
                    both.countDown();
                    Gate.await(both);
                    m.close();
                };
                Future<?> a = two.submit(closing);
                Future<?> b = two.submit(closing);
                a.get(Gate.DEADLINE_SECONDS, TimeUnit.SECONDS);
                b.get(Gate.DEADLINE_SECONDS, TimeUnit.SECONDS);
                assertEquals(0, backend.memoryUse().blocks());
                assertEquals(0, backend.memoryUse().bytes());
                refused(ErrorCode.CLOSED, m::segment, "block " + m.id());
            }
        }
    }

    @Test
    @DisplayName("O4.2 a block closed while a delayed copy is queued is freed after the copy, and not before")
    void closeWaits() throws Exception {
        CpuQueue queue = backend.createQueue();
        Memory from = backend.allocate(1000);
        Memory to = backend.allocate(1000);
        from.segment().fill((byte) 7);
        Gate gate = Gate.in(queue).entered();
        backend.copy(queue, to, 0, from, 0, 1000);
        Thread closing = Thread.ofPlatform().start(from::close);
        Gate.until(from::closed);
        assertEquals(2, backend.memoryUse().blocks());
        gate.open();
        queue.synchronize();
        assertTrue(closing.join(java.time.Duration.ofSeconds(Gate.DEADLINE_SECONDS)));
        assertEquals(1, backend.memoryUse().blocks());
        assertEquals(7, to.segment().get(ValueLayout.JAVA_BYTE, 999));
    }

    @Test
    @DisplayName("O4.2 10,000 blocks closed right behind the work that uses them: no work finds its memory gone")
    void closeBehindWork() {
        CpuQueue queue = backend.createQueue();
        AtomicLong sum = new AtomicLong();
        for (int i = 0; i < 10_000; i++) {
            try (Memory m = backend.allocate(64)) {
                MemorySegment segment = m.segment();
                backend.memset(queue, m, 0, (byte) 1, 64);
                queue.submit(workers -> sum.addAndGet(segment.get(ValueLayout.JAVA_BYTE, 63)));
            }
        }
        queue.synchronize();
        assertEquals(10_000, sum.get());
    }

    @Test
    @DisplayName("B1 a task may close a block: it is freed once the queues have done what they had")
    void closeInTask() {
        CpuQueue queue = backend.createQueue();
        Memory m = backend.allocate(64);
        queue.submit(workers -> {
            m.close();
            assertEquals(1, backend.memoryUse().blocks());
        });
        queue.synchronize();
        Gate.until(() -> backend.memoryUse().blocks() == 0);
    }

    @Test
    @DisplayName("B2 native and mapped segments are wrapped without a copy; heap and confined ones are not; a closed "
            + "one is refused")
    void imports(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("data"), new byte[] {1, 2, 3, 4, 5});
        CpuQueue queue = backend.createQueue();
        try (Arena arena = Arena.ofShared();
                Arena confined = Arena.ofConfined();
                FileChannel channel = FileChannel.open(file)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 5, arena);
            Memory m = backend.importHost(mapped).orElseThrow();
            assertEquals(mapped.address(), m.segment().address());
            assertEquals(0, backend.memoryUse().bytes());
            byte[] got = new byte[3];
            backend.download(queue, MemorySegment.ofArray(got), m, 2);
            queue.synchronize();
            assertEquals(3, got[0]);
            String name = "block " + m.id();
            refused(ErrorCode.INVALID_ARGUMENT, () -> backend.memset(queue, m, 0, (byte) 0, 1), name, "read-only");
            refused(ErrorCode.INVALID_ARGUMENT, () -> backend.copy(queue, m, 0, m, 0, 1), name, "read-only");
            refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> backend.upload(queue, m, 0, MemorySegment.ofArray(new byte[1])),
                    name,
                    "read-only");
            m.close();
            assertTrue(mapped.scope().isAlive());
            refused(ErrorCode.CLOSED, m::segment, name);
            assertFalse(backend.importHost(MemorySegment.ofArray(new byte[8])).isPresent());
            assertFalse(backend.importHost(confined.allocate(8)).isPresent());
            assertTrue(backend.importHost(Arena.global().allocate(8)).isPresent());
        }
        Arena gone = Arena.ofShared();
        MemorySegment dead = gone.allocate(8);
        gone.close();
        refused(ErrorCode.CLOSED, () -> backend.importHost(dead), "arena is closed");
    }
}
