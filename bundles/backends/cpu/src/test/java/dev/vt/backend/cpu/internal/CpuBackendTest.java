package dev.vt.backend.cpu.internal;

import static dev.vt.backend.cpu.internal.Errors.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.device.ProviderCaps;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuFeatures;
import dev.vt.backend.cpu.CpuQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CpuBackendTest {
    @Test
    @DisplayName("B8 capability is 0.0, graphs are supported, auxiliary streams are not, both memory queries are "
            + "answered")
    void queries() {
        try (CpuBackend backend = new CpuBackend()) {
            ProviderCaps caps = backend.caps();
            assertTrue(caps.valid());
            assertEquals("0.0/valid", caps.brief());
            assertEquals(Runtime.getRuntime().availableProcessors(), caps.units());
            assertEquals(backend.featureNames(), CpuFeatures.names(caps.features()));
            assertEquals(
                    ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent(),
                    caps.has(CpuFeatures.VECTOR_API.mask()));
            assertTrue(backend.supportsGraphCapture());
            assertFalse(backend.supportsAuxStream());
            assertTrue(backend.unifiedMemory());
            assertTrue(backend.hostAddressable());
            assertFalse(backend.software());
            assertEquals("cpu:0", backend.device().toString());
            assertEquals("cpu", backend.name());
            assertEquals("cpu", backend.id());
            assertFalse(backend.description().isBlank());
        }
    }

    @Test
    @DisplayName("B9 the module offers the backend to ServiceLoader")
    void service() {
        assertTrue(CpuBackend.class.getModule().getDescriptor().provides().stream()
                .anyMatch(p -> p.service().equals(Backend.class.getName())
                        && p.providers().contains(CpuBackend.class.getName())));
    }

    @Test
    @DisplayName("B5 pinned memory is ordinary memory, also of zero bytes, and no fallback")
    void pinned() {
        try (CpuBackend backend = new CpuBackend(1)) {
            Memory some = backend.allocatePinned(100);
            Memory none = backend.allocatePinned(0);
            assertEquals(100, some.size());
            assertEquals(0, none.size());
            assertFalse(some.pinned());
            assertEquals(0, backend.memoryUse().pinnedBytes());
            assertEquals(0, backend.memoryUse().pinnedFallbacks());
            some.close();
            none.close();
        }
    }

    @Test
    @DisplayName("B3 closing the backend does queued work first, then frees memory, then ends every thread")
    void closing() {
        CpuBackend backend = new CpuBackend(3);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        Memory memory = backend.allocate(64);
        CpuQueue queue = backend.createQueue();
        Gate gate = Gate.in(queue);
        AtomicInteger sum = new AtomicInteger();
        for (int i = 0; i < 10; i++) {
            queue.submit(workers -> {
                workers.forRange(64, 1, (from, to) -> threads.add(Thread.currentThread()));
                memory.segment().set(java.lang.foreign.ValueLayout.JAVA_BYTE, 0, (byte) 1);
                sum.incrementAndGet();
            });
        }
        Thread closer = Thread.ofVirtual().start(backend::close);
        gate.entered().open();
        join(closer);
        assertEquals(10, sum.get());
        assertTrue(memory.closed());
        assertEquals(0, backend.memoryUse().bytes());
        assertEquals(0, backend.memoryUse().queues());
        for (Thread t : threads) {
            assertFalse(t.isAlive(), t.getName());
            assertTrue(t.isDaemon());
            assertTrue(t.getName().startsWith("vt-cpu-"), t.getName());
            assertNull(t.getContextClassLoader());
        }
        refused(ErrorCode.CLOSED, backend::createQueue, "cpu:0");
        refused(ErrorCode.CLOSED, () -> backend.allocate(1), "cpu:0");
        backend.close();
    }

    private static void join(Thread thread) {
        try {
            assertTrue(thread.join(java.time.Duration.ofSeconds(Gate.DEADLINE_SECONDS)));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
