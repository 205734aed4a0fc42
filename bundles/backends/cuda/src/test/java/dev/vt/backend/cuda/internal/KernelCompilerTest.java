package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a kernel's source to its launch. */
class KernelCompilerTest extends OnFakeDevice {
    private void add() {
        Memory a = floats(1, 2, 3);
        Tensor t = Tensor.of(a, DType.F32, 3);
        new CudaNativeProvider().kernels().get(OpTable.ADD).run(queue, t, t, t);
        assertArrayEquals(new float[] {2, 4, 6}, read(queue, a));
    }

    private List<Path> kept() throws IOException {
        try (Stream<Path> files = Files.list(cache)) {
            return files.toList();
        }
    }

    private void reopen() throws Exception {
        driver.close();
        driver = new FakeDriver(cache);
        cuda = driver.device();
        queue = (StreamQueue) cuda.createQueue();
    }

    @Test
    @DisplayName("a file is compiled once for all processes, and anew when what was kept can't be loaded")
    void cached() throws Exception {
        int before = FakeDriver.compiled();
        add();
        add();
        assertEquals(before + 1, FakeDriver.compiled());
        assertEquals(1, kept().size());
        reopen();
        add();
        assertEquals(before + 1, FakeDriver.compiled());
        Files.writeString(kept().getFirst(), "damaged");
        reopen();
        add();
        assertEquals(before + 2, FakeDriver.compiled());
        reopen();
        add();
        assertEquals(before + 2, FakeDriver.compiled());
    }

    @Test
    @DisplayName("where nothing can be kept, kernels are compiled all the same")
    void noFolder() throws Exception {
        Path file = Files.createFile(cache.resolve("a file"));
        driver.close();
        driver = new FakeDriver(file);
        cuda = driver.device();
        queue = (StreamQueue) cuda.createQueue();
        add();
    }

    @Test
    @DisplayName("S5 without NVRTC the device is there, without the feature that vt-native asks for")
    void noCompiler() throws Exception {
        driver.close();
        driver = new FakeDriver(cache);
        System.setProperty("vt.nvrtc.library", "/nowhere/libnvrtc.so.13");
        Backend without = driver.device();
        assertFalse(without.featureNames().contains("nvrtc"));
        assertFalse(new CudaNativeProvider().supports(without.caps()));
        cuda = without;
    }

    @Test
    @DisplayName("without NVRTC, kernels that were translated at build time serve; one that is not there is named")
    void prebuilt(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("fault.ptx"), "FAKE");
        Files.writeString(folder.resolve("pair.ptx"), "FAKE");
        driver.close();
        driver = new FakeDriver(cache);
        System.setProperty("vt.nvrtc.library", "/nowhere/libnvrtc.so.13");
        System.setProperty("vt.cuda.ptx", folder.toString());
        try {
            cuda = driver.device();
            queue = (StreamQueue) cuda.createQueue();
            assertTrue(cuda.featureNames().contains("prebuilt_kernels"));
            assertTrue(new CudaNativeProvider().supports(cuda.caps()));
            int before = FakeDriver.compiled();
            add();
            assertEquals(before, FakeDriver.compiled());
            Tensor t = Tensor.of(floats(1, 2), DType.F32, 1, 2);
            refused(
                    ErrorCode.UNSUPPORTED,
                    () -> new CudaNativeProvider()
                            .kernels()
                            .get(OpTable.RMS_NORM)
                            .run(queue, t, t, Tensor.of(t.memory(), DType.F32, 2), null, 0, false),
                    "rms_norm.ptx can't be read in " + folder);
        } finally {
            System.setProperty("vt.cuda.ptx", "/nowhere");
        }
    }

    @Test
    @DisplayName("a launch carries the fault record first, then addresses with offsets, sizes and types")
    void arguments() {
        Memory block = cuda.allocate(4096);
        Tensor out = Tensor.of(block, 0, DType.BF16, 2, 300);
        Tensor x = Tensor.of(block, 2048, DType.F16, 2, 300);
        new CudaNativeProvider().kernels().get(OpTable.RELU).run(queue, out, x);
        assertEquals("relu_f16_bf16", driver.launched());
        assertEquals(block.segment().address(), driver.argument(1));
        assertEquals(block.segment().address() + 2048, driver.argument(2));
        assertEquals(600, driver.argument(3));
        assertEquals(300, driver.argument(4));
        assertEquals(1, driver.grid(0));
        assertEquals(256, driver.grid(3));
    }

    @Test
    @DisplayName("S13 O4.10 what a kernel can't do it declines before it launches: strides, block types, alignment")
    void declines() {
        Memory block = cuda.allocate(1 << 16);
        long before = driver.launches();
        var kernels = new CudaNativeProvider().kernels();
        Tensor flat = Tensor.of(block, DType.F32, 4, 4);
        Tensor padded = Tensor.strided(block, 4096, DType.F32, new long[] {4, 4}, new long[] {8, 1});
        Tensor turned = Tensor.strided(block, 4096, DType.F32, new long[] {4, 4}, new long[] {1, 4});
        Tensor odd = Tensor.of(block, 4098, DType.F32, 4, 4);
        Tensor encoded = Tensor.of(block, 8192, DType.Q8_0, 4, 32);
        assertEquals(
                "the last dimension is not contiguous",
                kernels.get(OpTable.ADD).run(queue, flat, padded, flat).reason());
        assertEquals(
                "the last dimension is not contiguous",
                kernels.get(OpTable.CAST_F32).run(queue, flat, turned).reason());
        assertEquals(
                "an operand's address is no multiple of its element's size",
                kernels.get(OpTable.RELU).run(queue, flat, odd).reason());
        assertEquals(
                "an operand has a block type",
                kernels.get(OpTable.CAST_F32)
                        .run(queue, Tensor.of(block, DType.F32, 4, 32), encoded)
                        .reason());
        assertEquals(before, driver.launches());
        assertEquals("", kernels.get(OpTable.CAST_F32).run(queue, flat, padded).reason());
    }
}
