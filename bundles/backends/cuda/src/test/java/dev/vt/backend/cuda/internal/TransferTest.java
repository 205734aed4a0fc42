package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.device.Memory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransferTest extends OnFakeDevice {
    @TempDir
    Path files;

    private static byte[] random(int n) {
        byte[] bytes = new byte[n];
        new Random(n).nextBytes(bytes);
        return bytes;
    }

    @Test
    @DisplayName("B2 memset and copy take odd sizes and offsets: the right bytes and no others")
    void odd() {
        byte[] want = random(1001);
        Memory a = cuda.allocate(1001);
        Memory b = cuda.allocate(1001);
        cuda.upload(queue, a, 0, MemorySegment.ofArray(want));
        cuda.memset(queue, a, 3, (byte) 9, 7);
        Arrays.fill(want, 3, 10, (byte) 9);
        cuda.copy(queue, b, 0, a, 0, 1001);
        cuda.copy(queue, b, 1, a, 500, 13);
        byte[] copied = want.clone();
        System.arraycopy(want, 500, copied, 1, 13);
        assertArrayEquals(want, bytes(a));
        assertArrayEquals(copied, bytes(b));
    }

    @Test
    @DisplayName("B2 transfers of many pieces, also with a rest, up and down")
    void pieces() {
        for (int n : new int[] {1, 65_535, 65_536, 65_537, 8 << 20, (8 << 20) + 1, 50_000_001}) {
            byte[] want = random(n);
            try (Memory block = cuda.allocate(n)) {
                cuda.upload(queue, block, 0, MemorySegment.ofArray(want));
                assertArrayEquals(want, bytes(block));
            }
        }
    }

    @Test
    @DisplayName(
            "B2 ranges outside a block, overlapping ones and foreign blocks are refused with block, size and range")
    void ranges() {
        Memory a = cuda.allocate(10);
        String block = "memory block " + a.id();
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> cuda.memset(queue, a, 4, (byte) 0, 7),
                block,
                "10 bytes",
                "7 bytes from 4");
        refused(ErrorCode.INVALID_ARGUMENT, () -> cuda.memset(queue, a, -1, (byte) 0, 1), block);
        refused(ErrorCode.INVALID_ARGUMENT, () -> cuda.memset(queue, a, 0, (byte) 0, -1), block);
        refused(ErrorCode.INVALID_ARGUMENT, () -> cuda.memset(queue, a, Long.MAX_VALUE, (byte) 0, 8), block);
        refused(ErrorCode.INVALID_ARGUMENT, () -> cuda.copy(queue, a, 0, a, 1, 9), block, "overlap");
        Memory pinned = cuda.allocatePinned(4);
        refused(ErrorCode.INVALID_ARGUMENT, () -> cuda.copy(queue, a, 0, pinned, 0, 5), "memory block " + pinned.id());
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> cuda.memset(queue, pinned, 0, (byte) 0, 4),
                "expected memory of cuda:0");
    }

    @Test
    @DisplayName("O4.15 heap, direct, mapped, read-only and own confined segments are uploaded and downloaded right")
    void segments() throws IOException {
        byte[] want = random(5000);
        Path file = Files.write(files.resolve("weights"), want);
        try (Arena confined = Arena.ofConfined();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MemorySegment own = confined.allocate(5000).copyFrom(MemorySegment.ofArray(want));
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 5000, Arena.ofAuto());
            MemorySegment odd = Arena.ofAuto().allocate(5001).asSlice(1).copyFrom(own);
            Memory block = cuda.allocate(5000);
            for (MemorySegment from :
                    new MemorySegment[] {MemorySegment.ofArray(want), own, mapped, odd, own.asReadOnly()}) {
                cuda.memset(queue, block, 0, (byte) 0, 5000);
                cuda.upload(queue, block, 0, from);
                assertArrayEquals(want, bytes(block));
            }
            MemorySegment back = confined.allocate(5000);
            cuda.download(queue, back, block, 0);
            assertArrayEquals(want, back.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    @DisplayName(
            "O4.15 closed arenas, arenas of other threads and read-only targets are refused before anything is given")
    void refusals() throws Exception {
        Memory block = cuda.allocate(8);
        Arena arena = Arena.ofShared();
        MemorySegment gone = arena.allocate(8);
        arena.close();
        refused(ErrorCode.CLOSED, () -> cuda.upload(queue, block, 0, gone), "arena", "closed");
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> cuda.download(queue, MemorySegment.ofArray(new byte[8]).asReadOnly(), block, 0),
                "read-only");
        AtomicReference<MemorySegment> foreign = new AtomicReference<>();
        Thread.ofPlatform()
                .start(() -> foreign.set(Arena.ofConfined().allocate(8)))
                .join();
        refused(ErrorCode.INVALID_ARGUMENT, () -> cuda.upload(queue, block, 0, foreign.get()), "confined");
    }

    @Test
    @DisplayName("B2 an uploaded array may change as soon as upload has returned")
    void readAtOnce() {
        driver.hold();
        float[] values = {1, 2, 3};
        Memory block = cuda.allocate(12);
        cuda.upload(queue, block, 0, MemorySegment.ofArray(values));
        Arrays.fill(values, 0);
        assertArrayEquals(new float[] {1, 2, 3}, read(queue, block));
    }

    @Test
    @DisplayName("O4.15 large parts of a mapped file are copied from their locked pages, wherever they begin and end")
    void mapped() throws IOException {
        byte[] want = random((9 << 20) + 77);
        try (FileChannel channel =
                FileChannel.open(Files.write(files.resolve("weights"), want), StandardOpenOption.READ)) {
            MemorySegment all = channel.map(FileChannel.MapMode.READ_ONLY, 0, want.length, Arena.ofAuto());
            for (int[] part : new int[][] {{0, want.length}, {0, 8 << 20}, {4096, 5 << 20}, {33, (8 << 20) + 5}}) {
                long before = driver.registered();
                upload(all.asSlice(part[0], part[1]), Arrays.copyOfRange(want, part[0], part[0] + part[1]));
                long pages = (part[0] + part[1]) / 4096 - (part[0] + 4095) / 4096;
                assertEquals(pages * 4096, driver.registered() - before);
            }
            long before = driver.registered();
            upload(all.asSlice(0, 1 << 20), Arrays.copyOf(want, 1 << 20));
            assertEquals(before, driver.registered(), "a small part goes through the ring");
        }
    }

    @Test
    @DisplayName(
            "O4.15 a mapped file whose pages can't be locked goes through page-locked memory, whole or from there on")
    void notLocked() throws IOException {
        byte[] want = random(140 << 20);
        try (FileChannel channel =
                FileChannel.open(Files.write(files.resolve("weights"), want), StandardOpenOption.READ)) {
            MemorySegment all = channel.map(FileChannel.MapMode.READ_ONLY, 0, want.length, Arena.ofAuto());
            driver.fail("cuMemHostRegister", 1, 801);
            upload(all, want);
            assertEquals(0, driver.registered());
            driver.fail("cuMemHostRegister", 2, 801);
            upload(all, want);
            assertEquals(64 << 20, driver.registered());
        }
    }

    private void upload(MemorySegment from, byte[] want) {
        long pinned = driver.pinnedUsed();
        try (Memory block = cuda.allocate(want.length)) {
            cuda.upload(queue, block, 0, from);
            assertArrayEquals(want, bytes(block));
        }
        assertTrue(driver.pinnedUsed() - pinned <= 64 << 20, "no pages are left locked");
    }
}
