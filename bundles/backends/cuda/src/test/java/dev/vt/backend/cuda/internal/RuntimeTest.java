package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.registry.BackendStatus;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;
import dev.vt.registry.VtRuntime;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The backend on a plain module path. */
class RuntimeTest {
    private static final Device CUDA = Device.of(DeviceType.CUDA);

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

    @Test
    @DisplayName(
            "B9 the module offers its devices to the runtime, ops run on them, and closing the runtime closes them")
    void present() {
        try (VtRuntime runtime = VtRuntime.load()) {
            Backend cuda = runtime.backends().get(DeviceType.CUDA);
            assertEquals(CUDA, runtime.backends().parse(cuda.id()));
            Queue queue = cuda.createQueue();
            Memory block = cuda.allocate(8);
            cuda.upload(queue, block, 0, MemorySegment.ofArray(new float[] {1, 2}));
            Tensor t = Tensor.of(block, DType.F32, 2);
            try (Memory other = cuda.allocate(8)) {
                cuda.memset(queue, other, 0, (byte) 0, 8);
                new Ops(runtime.ops()).add(queue, t, t, Tensor.of(other, DType.F32, 2));
            }
            float[] sum = new float[2];
            cuda.download(queue, MemorySegment.ofArray(sum), block, 0);
            assertArrayEquals(new float[] {1, 2}, sum);
            assertEquals(1, driver.live(FakeDriver.Kind.CONTEXTS));
        }
        for (FakeDriver.Kind kind : FakeDriver.Kind.values()) {
            assertEquals(0, driver.live(kind), kind.toString());
        }
    }

    @Test
    @DisplayName("B11 without a device the runtime lists cuda:0 as absent with the reason")
    void absent() {
        driver.devices(0);
        try (VtRuntime runtime = VtRuntime.load()) {
            BackendStatus status = runtime.backends().statuses().getLast();
            assertEquals(CUDA, status.device());
            assertEquals(BackendStatus.State.ABSENT, status.state());
            assertTrue(status.reason().contains("no device"), status.reason());
        }
    }
}
