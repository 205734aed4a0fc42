package dev.vt.backend.cpu.internal;

import static dev.vt.backend.cpu.internal.Errors.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.ErrorCode;
import dev.vt.api.device.Memory;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Addresses in operands: what the backend knows is found, and nothing else is ever read. */
class AddressTest {
    private final CpuBackend backend = new CpuBackend(2);
    private final CpuQueue queue = backend.createQueue();

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    @DisplayName("the bytes at an address are those of the block that it lies in, of imported memory too")
    void found() {
        try (Arena arena = Arena.ofShared();
                Memory own = backend.allocate(100)) {
            MemorySegment foreign = arena.allocate(50);
            try (Memory imported = backend.importHost(foreign).orElseThrow()) {
                for (Memory m : new Memory[] {own, imported}) {
                    MemorySegment at = queue.segmentAt(m.segment().address() + 7, 11);
                    assertEquals(11, at.byteSize());
                    at.set(ValueLayout.JAVA_BYTE, 10, (byte) 42);
                    assertEquals(42, m.segment().get(ValueLayout.JAVA_BYTE, 17));
                    long end = m.segment().address() + m.size();
                    assertEquals(1, queue.segmentAt(end - 1, 1).byteSize());
                    assertEquals(0, queue.segmentAt(end, 0).byteSize());
                }
            }
            unknown(foreign.address(), 1);
        }
    }

    @Test
    @DisplayName("0, negative addresses and sizes, what crosses the end of a block, and closed blocks are refused")
    void refusals() {
        Memory m = backend.allocate(100);
        long address = m.segment().address();
        unknown(0, 0);
        unknown(0, 1);
        unknown(-1, 1);
        unknown(Long.MIN_VALUE, 1);
        unknown(address, -1);
        unknown(address - 1, 1);
        unknown(address + 99, 2);
        unknown(address, Long.MAX_VALUE);
        m.close();
        unknown(address, 1);
    }

    private void unknown(long address, long bytes) {
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> queue.segmentAt(address, bytes),
                "backend cpu of cpu:0: expected " + bytes + " bytes inside one open block",
                "given address 0x" + Long.toHexString(address));
    }

    @Test
    @DisplayName("B1 a block that is closed while a task waits is still found by that task")
    void closing() throws Exception {
        Memory m = backend.allocate(8);
        long address = m.segment().address();
        AtomicReference<MemorySegment> seen = new AtomicReference<>();
        Gate gate = Gate.in(queue).entered();
        queue.submit(workers -> seen.set(queue.segmentAt(address, 8).asReadOnly()));
        CompletableFuture<Void> closed = CompletableFuture.runAsync(m::close);
        Gate.until(m::closed);
        gate.open();
        closed.get(Gate.DEADLINE_SECONDS, TimeUnit.SECONDS);
        queue.synchronize();
        assertEquals(8, seen.get().byteSize());
        unknown(address, 8);
    }
}
