package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.device.Memory;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MemoryTest extends OnFakeDevice {
    @Test
    @DisplayName("B1 S27 device memory is aligned and of no bytes for the host; what is in use is counted")
    void allocate() {
        Memory block = cuda.allocate(1000);
        assertEquals(0, block.segment().byteSize());
        assertEquals(0, block.segment().address() % 64);
        assertFalse(block.hostAddressable());
        assertThrows(IndexOutOfBoundsException.class, () -> block.segment().get(ValueLayout.JAVA_BYTE, 0));
        assertEquals(1000, cuda.memoryUse().bytes());
        assertEquals(1, cuda.memoryUse().blocks());
        block.close();
        assertEquals(0, cuda.memoryUse().bytes());
    }

    @Test
    @DisplayName("B1 O4.11 zero bytes give valid, distinct blocks that can be filled, copied and freed")
    void zero() {
        Memory a = cuda.allocate(0);
        Memory b = cuda.allocate(0);
        Memory c = cuda.allocatePinned(0);
        assertNotEquals(a.segment().address(), b.segment().address());
        cuda.memset(queue, a, 0, (byte) 1, 0);
        cuda.copy(queue, a, 0, b, 0, 0);
        cuda.copy(queue, a, 0, c, 0, 0);
        queue.synchronize();
        List.of(a, b, c).forEach(Memory::close);
        assertEquals(0, cuda.memoryUse().blocks());
    }

    @Test
    @DisplayName(
            "B1 O4.8 negative sizes, sizes above what there is and absurd ones are refused with the size in the text")
    void sizes() {
        for (long size : new long[] {-1, Long.MIN_VALUE}) {
            refused(ErrorCode.INVALID_ARGUMENT, () -> cuda.allocate(size), "cuda:0", "" + size, "expected 0 or more");
            refused(ErrorCode.INVALID_ARGUMENT, () -> cuda.allocatePinned(size), "" + size);
        }
        for (long size : new long[] {1L << 31, 3_000_000_000L, Long.MAX_VALUE}) {
            refused(ErrorCode.OUT_OF_MEMORY, () -> cuda.allocate(size), "" + size, "are in use of");
        }
        refused(ErrorCode.OUT_OF_MEMORY, () -> cuda.allocatePinned(Long.MAX_VALUE), "" + Long.MAX_VALUE);
    }

    @Test
    @DisplayName("O4.8 a block of 3,000,000,000 bytes is allocated and freed by its long size")
    void large() {
        driver.memory(4L << 30, 4L << 30);
        try (Memory block = cuda.allocate(3_000_000_000L)) {
            assertEquals(3_000_000_000L, block.size());
        }
        cuda.drain();
    }

    @Test
    @DisplayName("B1 use after close is an error that names the block; a second close is harmless")
    void closed() {
        Memory block = cuda.allocate(8);
        block.close();
        block.close();
        refused(ErrorCode.CLOSED, block::segment, "memory block " + block.id(), "was closed by thread");
        refused(ErrorCode.CLOSED, () -> cuda.memset(queue, block, 0, (byte) 0, 8), "memory block " + block.id());
        Memory pinned = cuda.allocatePinned(8);
        var segment = pinned.segment();
        pinned.close();
        assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    @DisplayName("O4.1 two threads close one block at once: it is freed once")
    void closeTwice() throws Exception {
        for (int i = 0; i < 200; i++) {
            Memory block = cuda.allocate(8);
            CyclicBarrier both = new CyclicBarrier(2);
            Thread other = Thread.ofPlatform().start(() -> {
                await(both);
                block.close();
            });
            await(both);
            block.close();
            other.join();
        }
        cuda.drain();
        assertEquals(0, cuda.memoryUse().blocks());
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("O4.2 a block closed while work on it is queued is freed after the work, on every queue")
    void closeBehindWork() {
        StreamQueue other = (StreamQueue) cuda.createQueue();
        driver.hold();
        Memory from = cuda.allocate(64);
        Memory to = cuda.allocate(64);
        Memory pinned = cuda.allocatePinned(64);
        cuda.memset(queue, from, 0, (byte) 5, 64);
        queue.synchronize();
        cuda.copy(other, to, 0, from, 0, 64);
        from.close();
        Memory next = cuda.allocate(64);
        cuda.memset(queue, next, 0, (byte) 9, 64);
        cuda.copy(other, pinned, 0, to, 0, 64);
        to.close();
        other.synchronize();
        assertEquals(5, pinned.segment().get(ValueLayout.JAVA_BYTE, 63));
        driver.go();
        driver.assertNoBreach();
    }

    @Test
    @DisplayName("B1 memory that is being freed is enough for the next request when the device is full")
    void full() {
        driver.memory(driver.used() + 1024, 1 << 20);
        driver.hold();
        Memory block = cuda.allocate(1024);
        cuda.memset(queue, block, 0, (byte) 1, 1024);
        refused(ErrorCode.OUT_OF_MEMORY, () -> cuda.allocate(1024), "1024 bytes are in use");
        block.close();
        cuda.allocate(1024);
    }

    @Test
    @DisplayName(
            "B5 O4.4 when page-locked memory runs out, ordinary memory is given, counted, and its copies are right")
    void pinnedLimit() {
        long mib = 1 << 20;
        driver.memory(1 << 28, driver.pinnedUsed() + 64 * mib);
        List<Memory> blocks = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            blocks.add(cuda.allocatePinned(16 * mib));
        }
        assertEquals(4, blocks.stream().filter(Memory::pinned).count());
        assertEquals(6, cuda.memoryUse().pinnedFallbacks());
        assertEquals(64 * mib, cuda.memoryUse().pinnedBytes());
        blocks.getFirst().close();
        Memory ordinary = blocks.getLast();
        assertFalse(ordinary.pinned());
        ordinary.segment().fill((byte) 42);
        Memory on = cuda.allocate(100);
        cuda.copy(queue, on, 0, ordinary, 0, 100);
        ordinary.segment().fill((byte) 0);
        cuda.copy(queue, ordinary, 7, on, 0, 50);
        queue.synchronize();
        assertEquals(42, ordinary.segment().get(ValueLayout.JAVA_BYTE, 56));
        assertEquals(0, ordinary.segment().get(ValueLayout.JAVA_BYTE, 57));
    }

    @Test
    @DisplayName("B5 O4.4 when page-locked memory runs out, the log has one warning, whatever comes after it")
    void pinnedWarning() {
        driver.memory(1 << 28, driver.pinnedUsed() + 4096);
        try (Warnings warnings = new Warnings()) {
            Memory first = cuda.allocatePinned(4096);
            assertEquals(List.of(), warnings.lines());
            for (int i = 0; i < 6; i++) {
                assertFalse(cuda.allocatePinned(8192).pinned());
            }
            first.close();
            assertTrue(cuda.allocatePinned(4096).pinned());
            assertFalse(cuda.allocatePinned(1 << 20).pinned());
            assertEquals(
                    List.of("device cuda:0: no page-locked memory is left for 8192 bytes (4096 are in use): ordinary"
                            + " memory is used, whose copies are slower"),
                    warnings.lines());
            assertEquals(7, cuda.memoryUse().pinnedFallbacks());
        }
    }

    @Test
    @DisplayName("B5 page-locked memory is used again, since locking it is slow")
    void pinnedAgain() {
        Memory first = cuda.allocatePinned(5000);
        long address = first.segment().address();
        first.close();
        Memory second = cuda.allocatePinned(6000);
        assertEquals(address, second.segment().address());
        assertTrue(second.pinned() && second.hostAddressable());
        assertArrayEquals(new byte[0], new byte[(int) cuda.memoryUse().pinnedFallbacks()]);
    }

    @Test
    @DisplayName(
            "B1 B3 memory that is still on its way is waited for by every queue, also by one that is made meanwhile")
    void onItsWay() {
        driver.hold();
        Memory block = cuda.allocate(64);
        StreamQueue late = (StreamQueue) cuda.createQueue();
        cuda.memset(late, block, 0, (byte) 1, 64);
        late.synchronize();
        cuda.memset(queue, cuda.allocate(64), 0, (byte) 1, 64);
        queue.synchronize();
        driver.assertNoBreach();
    }
}
