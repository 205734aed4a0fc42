package dev.vt.backend.cpu.internal;

import static dev.vt.backend.cpu.internal.Errors.refused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.ErrorCode;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Memory;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuQueue;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransferTest {
    private final CpuBackend backend = new CpuBackend(2);
    private final CpuQueue queue = backend.createQueue();

    @AfterEach
    void close() {
        backend.close();
    }

    private static byte[] pattern(int n) {
        byte[] b = new byte[n];
        for (int i = 0; i < n; i++) {
            b[i] = (byte) (i * 31 + 7);
        }
        return b;
    }

    private Memory filled(int n) {
        Memory m = backend.allocate(n);
        m.segment().copyFrom(MemorySegment.ofArray(pattern(n)));
        return m;
    }

    private static byte[] bytes(Memory m) {
        return m.segment().toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    @DisplayName("B2 memset and copy take odd sizes and offsets: the right bytes and no others")
    void oddSizes() {
        // The largest is beyond what one thread does alone.
        for (int size : new int[] {0, 1, 3, 63, 64, 65, 1001, 3 * (1 << 20) + 5}) {
            for (int offset : new int[] {0, 1, 7, 64}) {
                int total = size + 2 * offset + 3;
                byte[] expected = pattern(total);
                Memory a = filled(total);
                Memory b = backend.allocate(total);
                backend.copy(queue, b, offset, a, offset + 1, size);
                backend.memset(queue, a, offset + 1, (byte) 99, size);
                queue.synchronize();
                byte[] copied = new byte[total];
                System.arraycopy(expected, offset + 1, copied, offset, size);
                assertArrayEquals(copied, bytes(b));
                Arrays.fill(expected, offset + 1, offset + 1 + size, (byte) 99);
                assertArrayEquals(expected, bytes(a));
                a.close();
                b.close();
            }
        }
    }

    @Test
    @DisplayName("B2 a copy inside one block whose ranges overlap gives the bytes of before, both ways")
    void overlapping() {
        int n = 3 << 20;
        for (int[] ends : new int[][] {{0, 5}, {5, 0}}) {
            try (Memory m = filled(n)) {
                byte[] expected = pattern(n);
                System.arraycopy(expected.clone(), ends[0], expected, ends[1], n - 5);
                backend.copy(queue, m, ends[1], m, ends[0], n - 5);
                queue.synchronize();
                assertArrayEquals(expected, bytes(m));
            }
        }
    }

    @Test
    @DisplayName("B2 ranges outside a block are refused with block, size and range")
    void outside() {
        Memory m = backend.allocate(10);
        String name = "block " + m.id();
        long[][] wrong = {{-1, 1}, {0, -1}, {0, 11}, {10, 1}, {Long.MAX_VALUE, 2}, {2, Long.MAX_VALUE}};
        for (long[] w : wrong) {
            String given = w[1] + " bytes from " + w[0];
            refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> backend.memset(queue, m, w[0], (byte) 1, w[1]),
                    name,
                    "10 bytes",
                    given);
            refused(ErrorCode.INVALID_ARGUMENT, () -> backend.copy(queue, m, w[0], m, 0, w[1]), "copy", name);
            refused(ErrorCode.INVALID_ARGUMENT, () -> backend.copy(queue, m, 0, m, w[0], w[1]), "copy", name);
        }
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> backend.upload(queue, m, 5, MemorySegment.ofArray(new byte[6])),
                "upload");
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> backend.download(queue, MemorySegment.ofArray(new byte[6]), m, 5),
                "download");
        queue.synchronize();
        assertArrayEquals(new byte[10], bytes(m));
    }

    @Test
    @DisplayName("O4.15 heap, direct, mapped, read-only and own confined segments are uploaded and downloaded right")
    void kindsOfSegment(@TempDir Path folder) throws IOException {
        byte[] data = pattern(1003);
        Path file = Files.write(folder.resolve("data"), data);
        Memory m = backend.allocate(1010);
        try (Arena confined = Arena.ofConfined();
                Arena shared = Arena.ofShared();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment[] kinds = {
                MemorySegment.ofArray(data.clone()),
                MemorySegment.ofBuffer(ByteBuffer.allocateDirect(1003)).copyFrom(MemorySegment.ofArray(data)),
                channel.map(FileChannel.MapMode.READ_WRITE, 0, 1003, shared),
                confined.allocate(1003, 1).copyFrom(MemorySegment.ofArray(data)),
                Arena.ofAuto().allocate(1003, 1).copyFrom(MemorySegment.ofArray(data)),
                MemorySegment.ofArray(new long[126]).asSlice(3, 1003).copyFrom(MemorySegment.ofArray(data))
            };
            for (MemorySegment kind : kinds) {
                roundTrip(m, kind, data);
            }
        }
    }

    private void roundTrip(Memory m, MemorySegment host, byte[] data) {
        for (MemorySegment source : new MemorySegment[] {host, host.asReadOnly()}) {
            m.segment().fill((byte) 0);
            backend.upload(queue, m, 5, source);
            queue.synchronize();
            assertArrayEquals(data, m.segment().asSlice(5, data.length).toArray(ValueLayout.JAVA_BYTE));
        }
        host.fill((byte) 0);
        backend.download(queue, host, m, 5);
        queue.synchronize();
        assertArrayEquals(data, host.toArray(ValueLayout.JAVA_BYTE));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> backend.download(queue, host.asReadOnly(), m, 5),
                "download",
                "read-only");
    }

    @Test
    @DisplayName("O4.15 a closed arena and a confined arena of another thread are refused before anything is queued")
    void unusableSegments() throws InterruptedException {
        Memory m = filled(16);
        Arena gone = Arena.ofConfined();
        MemorySegment dead = gone.allocate(8);
        gone.close();
        AtomicReference<MemorySegment> foreign = new AtomicReference<>();
        AtomicReference<Arena> arena = new AtomicReference<>();
        Thread other = Thread.ofPlatform().start(() -> {
            arena.set(Arena.ofConfined());
            foreign.set(arena.get().allocate(8));
        });
        other.join();
        MemorySegment elsewhere = foreign.get();
        refused(ErrorCode.CLOSED, () -> backend.upload(queue, m, 0, dead), "upload", "closed");
        refused(ErrorCode.CLOSED, () -> backend.download(queue, dead, m, 0), "download", "closed");
        refused(ErrorCode.INVALID_ARGUMENT, () -> backend.upload(queue, m, 0, elsewhere), "another thread");
        refused(ErrorCode.INVALID_ARGUMENT, () -> backend.download(queue, elsewhere, m, 0), "another thread");
        queue.synchronize();
        assertArrayEquals(pattern(16), bytes(m));
    }

    @Test
    @DisplayName("B2 an uploaded heap array may change as soon as upload has returned")
    void snapshot() {
        Memory m = backend.allocate(3);
        Gate gate = Gate.in(queue).entered();
        byte[] data = {1, 2, 3};
        backend.upload(queue, m, 0, MemorySegment.ofArray(data));
        Arrays.fill(data, (byte) 0);
        gate.open();
        queue.synchronize();
        assertArrayEquals(new byte[] {1, 2, 3}, bytes(m));
    }

    @Test
    @DisplayName("B2 a queue or a block of another device is refused by name")
    void otherDevice() {
        Memory m = backend.allocate(8);
        Foreign other = new Foreign(Device.of(DeviceType.CUDA, 3));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> backend.memset(queue, other.memory(), 0, (byte) 0, 1),
                "cuda:3",
                "cpu:0");
        refused(ErrorCode.INVALID_ARGUMENT, () -> backend.copy(queue, m, 0, other.memory(), 0, 1), "cuda:3");
        refused(ErrorCode.INVALID_ARGUMENT, () -> backend.memset(other.queue(), m, 0, (byte) 0, 1), "cuda:3");
    }

    @Test
    @DisplayName("O4.14 a block allocated on one thread is copied on a second and freed on a third, virtual ones too")
    void threads() throws Exception {
        for (boolean virtual : new boolean[] {false, true}) {
            AtomicReference<Memory> a = new AtomicReference<>();
            AtomicReference<Memory> b = new AtomicReference<>();
            on(virtual, () -> {
                a.set(filled(100));
                b.set(backend.allocate(100));
            });
            on(virtual, () -> {
                backend.copy(queue, b.get(), 0, a.get(), 0, 100);
                queue.synchronize();
            });
            assertArrayEquals(pattern(100), bytes(b.get()));
            on(virtual, () -> {
                a.get().close();
                b.get().close();
            });
            assertEquals(0, backend.memoryUse().blocks());
        }
    }

    private static void on(boolean virtual, Runnable work) throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
        builder.start(() -> {
                    try {
                        work.run();
                    } catch (Throwable e) {
                        failure.set(e);
                    }
                })
                .join();
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
    }
}
