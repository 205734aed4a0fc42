package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.registry.BackendStatus;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looking for devices, opening and closing them. */
class LifeTest {
    @TempDir
    Path cache;

    private FakeDriver driver;

    @BeforeEach
    void start() {
        driver = new FakeDriver(cache);
    }

    @AfterEach
    void end() throws Exception {
        driver.close();
        driver.assertNoBreach();
    }

    private String absent() {
        assertEquals(List.of(), driver.find());
        BackendStatus status = driver.statuses.getFirst();
        assertEquals(BackendStatus.State.ABSENT, status.state());
        assertEquals(Device.of(DeviceType.CUDA), status.device());
        assertEquals("cuda", status.backend());
        return status.reason();
    }

    @Test
    @DisplayName("B11 no driver: nothing is found, and the reason names the library")
    void noDriver() {
        System.setProperty("vt.cuda.library", "/nowhere/libcuda.so.1");
        assertEquals("no NVIDIA driver: /nowhere/libcuda.so.1 can't be loaded", absent());
    }

    @Test
    @DisplayName("B11 no device: the reason says what the driver was told to show")
    void noDevice() {
        driver.devices(0);
        assertTrue(absent().startsWith("the driver shows no device to this process (CUDA_VISIBLE_DEVICES is "));
    }

    @Test
    @DisplayName("B11 a driver that is too old, or does not start, is named with what was expected")
    void oldDriver() {
        driver.version(11040);
        assertEquals("the driver is too old: expected CUDA 12.0 or newer, given 11.4", absent());
        driver.statuses.clear();
        driver.initCode(803);
        assertTrue(absent().endsWith("gives CUDA error 803"));
    }

    @Test
    @DisplayName(
            "B9 O3.8 O3.9 the devices are those that the driver shows, in its order, each with the GPU's UUID as its"
                    + " identity")
    void devices() {
        driver.devices(2);
        List<Backend> found = driver.find();
        assertEquals(
                List.of("cuda:0", "cuda:1"),
                found.stream().map(b -> b.device().toString()).toList());
        assertEquals("GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", found.get(0).id());
        assertEquals("GPU-10111213-1415-1617-1819-1a1b1c1d1e1f", found.get(1).id());
        assertEquals("Fake device 0", found.get(0).description());
    }

    @Test
    @DisplayName("B8 capability, units and features are those of the device")
    void caps() {
        Backend cuda = driver.device();
        assertEquals("9.0/valid", cuda.caps().brief());
        assertEquals(8, cuda.caps().units());
        assertEquals(
                List.of("nvrtc", "memory_pools", "tensor_cores", "bf16", "fp8", "clusters", "cooperative_launch"),
                cuda.featureNames());
        assertFalse(cuda.hostAddressable());
        assertFalse(cuda.unifiedMemory());
        assertTrue(cuda.supportsGraphCapture());
    }

    @Test
    @DisplayName("O3.1 a device that can't be opened is reported as failed, and the others serve")
    void openFails() {
        driver.devices(2);
        driver.fail("cuDevicePrimaryCtxRetain", 1, 2);
        List<Backend> found = driver.find();
        assertEquals(1, found.size());
        assertEquals("cuda:1", found.getFirst().device().toString());
        BackendStatus status = driver.statuses.getFirst();
        assertEquals(BackendStatus.State.FAILED, status.state());
        assertTrue(status.reason().contains("CUDA_ERROR_OUT_OF_MEMORY"), status.reason());
    }

    @Test
    @DisplayName("O3.13 closing with work pending ends queues, memory and context, and leaves nothing behind")
    void closes() throws Exception {
        Backend cuda = driver.device();
        driver.hold();
        Queue queue = cuda.createQueue();
        cuda.createEvent(true).close();
        Memory block = cuda.allocate(1000);
        Memory pinned = cuda.allocatePinned(1000);
        cuda.memset(queue, block, 0, (byte) 7, 1000);
        cuda.copy(queue, pinned, 0, block, 0, 1000);
        driver.close();
        assertEquals(0, driver.used());
        assertEquals(0, driver.pinnedUsed());
        for (FakeDriver.Kind kind : FakeDriver.Kind.values()) {
            assertEquals(0, driver.live(kind), kind.toString());
        }
        assertTrue(block.closed() && pinned.closed());
        VtException e = assertThrows(VtException.class, cuda::createQueue);
        assertEquals(ErrorCode.CLOSED, e.code());
        block.close();
        queue.close();
    }

    @Test
    @DisplayName("a fault of the device is final: every later call is one sentence, and nothing hangs")
    void fails() throws Exception {
        Backend cuda = driver.device();
        Queue queue = cuda.createQueue();
        Memory block = cuda.allocate(64);
        driver.fail("cuStreamSynchronize", 1, 700);
        VtException first = assertThrows(VtException.class, queue::synchronize);
        assertEquals(ErrorCode.DEVICE_LOST, first.code());
        assertTrue(first.getMessage().contains("CUDA_ERROR_ILLEGAL_ADDRESS (700)"), first.getMessage());
        assertTrue(first.getMessage().endsWith("restart the process"), first.getMessage());
        for (Runnable call : List.<Runnable>of(
                () -> cuda.allocate(1),
                () -> cuda.allocatePinned(1),
                cuda::createQueue,
                () -> cuda.createEvent(true),
                () -> cuda.memset(queue, block, 0, (byte) 0, 64),
                queue::beginCapture,
                queue::synchronize)) {
            VtException e = assertThrows(VtException.class, call::run);
            assertEquals(ErrorCode.DEVICE_LOST, e.code(), e.getMessage());
        }
        cuda.drain();
        block.close();
        queue.close();
        driver.close();
        awaitReport();
    }

    /** The report comes from a thread of its own. */
    private void awaitReport() {
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (driver.statuses.isEmpty() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertEquals(BackendStatus.State.FAILED, driver.statuses.getFirst().state());
    }
}
