package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.vt.api.device.Graph;
import dev.vt.api.device.Memory;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Matmul;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which kernel serves a product of matrices, and what it is given. The results are looked at by the kit, on a device. */
class ProductTest extends OnFakeDevice {
    private static final int PLENTY = 1 << 20;

    private final CudaNativeProvider provider = new CudaNativeProvider();
    private Memory block;

    /** A device whose driver describes matrices to the copy engine. */
    @BeforeEach
    void describe() {
        driver.describes(PLENTY);
        cuda = driver.device();
        queue = (StreamQueue) cuda.createQueue();
        block = cuda.allocate(16 << 20);
    }

    private Tensor out(long... shape) {
        return Tensor.of(block, 0, DType.F32, shape);
    }

    private Tensor left(DType type, long... shape) {
        return Tensor.of(block, 8 << 20, type, shape);
    }

    private Tensor right(DType type, long... shape) {
        return Tensor.of(block, 12 << 20, type, shape);
    }

    private String launched(Op<Matmul> op, Tensor out, Tensor a, Tensor b) {
        assertEquals("", provider.kernels().get(op).run(queue, out, a, b).reason());
        return driver.launched();
    }

    @Test
    @DisplayName("few rows are served by the slim kernels, whose blocks share K where there are units for them")
    void slim() {
        Tensor a = left(DType.BF16, 3, 1024);
        Tensor b = right(DType.BF16, 128, 1024);
        assertEquals("slim_bt_8", launched(OpTable.MATMUL_BT, out(3, 128), a, b));
        assertEquals(a.segment().address() + a.offset(), driver.argument(1));
        assertEquals(b.segment().address() + b.offset(), driver.argument(2));
        assertEquals(block.segment().address(), driver.argument(3));
        assertEquals(3, driver.argument(4));
        assertEquals(128, driver.argument(5));
        // Two tiles, and the device has eight units.
        assertEquals(2 * 4, driver.grid(0));
        assertEquals(1, driver.grid(1));
        assertEquals(160, driver.grid(3));
        assertEquals(
                "slim_64", launched(OpTable.MATMUL, out(60, 128), left(DType.F16, 60, 64), right(DType.F16, 64, 128)));
        assertEquals(
                "slim_bt_256",
                launched(OpTable.MATMUL_BT, out(200, 1024), left(DType.F16, 200, 64), right(DType.F16, 1024, 64)));
    }

    @Test
    @DisplayName("many rows are served by the large kernels, one block for each unit")
    void large() {
        assertEquals(
                "large_bt",
                launched(OpTable.MATMUL_BT, out(1000, 500), left(DType.BF16, 1000, 64), right(DType.BF16, 500, 64)));
        assertEquals(8, driver.grid(0));
        assertEquals(384, driver.grid(3));
        assertEquals(
                "large",
                launched(OpTable.MATMUL, out(1000, 512), left(DType.BF16, 1000, 64), right(DType.BF16, 64, 512)));
        assertEquals(
                "large",
                launched(
                        OpTable.BATCHED_MATMUL,
                        out(2, 500, 512),
                        left(DType.BF16, 2, 500, 64),
                        right(DType.BF16, 2, 64, 512)));
    }

    @Test
    @DisplayName(
            "what the copy engine can't read is served by the plain kernels: f32, mixed types, rows at odd places, no"
                    + " K")
    void plain() {
        assertEquals(
                "few_f32_4",
                launched(OpTable.MATMUL_BT, out(3, 128), left(DType.F32, 3, 64), right(DType.F32, 128, 64)));
        assertEquals(
                "matmul", launched(OpTable.MATMUL_BT, out(3, 128), left(DType.F16, 3, 64), right(DType.BF16, 128, 64)));
        assertEquals(
                "few_f16_4",
                launched(OpTable.MATMUL_BT, out(3, 128), left(DType.F16, 3, 63), right(DType.F16, 128, 63)));
        assertEquals(
                "few_f16_1", launched(OpTable.MATMUL_BT, out(1, 128), left(DType.F16, 1, 0), right(DType.F16, 128, 0)));
        Tensor odd = Tensor.of(block, (8 << 20) + 8, DType.BF16, 300, 64);
        assertEquals("matmul", launched(OpTable.MATMUL_BT, out(300, 128), odd, right(DType.BF16, 128, 64)));
        assertEquals(
                "matmul_f32",
                launched(OpTable.MATMUL_BT, out(300, 128), left(DType.F32, 300, 64), right(DType.F32, 128, 64)));
    }

    @Test
    @DisplayName("e4m3 is made f16 in scratch memory first, which the queue's next product may use again")
    void bytes() {
        Tensor a = left(DType.I8, 300, 64);
        Tensor b = right(DType.I8, 512, 64);
        for (int i = 0; i < 2; i++) {
            long before = driver.launches();
            assertEquals(
                    "",
                    provider.kernels()
                            .get(OpTable.MATMUL_FP8_CUTLASS)
                            .run(queue, out(300, 512), a, b, 0.5f)
                            .reason());
            assertEquals(before + 3, driver.launches());
            assertEquals("large_bt", driver.launched());
            assertEquals(driver.argument(1) + 2 * 300 * 64, driver.argument(2));
            assertEquals(Float.floatToIntBits(0.5f), (int) driver.argument(9));
        }
    }

    @Test
    @DisplayName("few rows of e4m3 are widened in scratch memory, b on its way")
    void fewBytes() {
        Tensor a = left(DType.I8, 20, 1024);
        Tensor b = right(DType.I8, 128, 1024);
        long before = driver.launches();
        assertEquals(
                "",
                provider.kernels()
                        .get(OpTable.MATMUL_FP8_CUBLASLT)
                        .run(queue, out(20, 128), a, b, 2)
                        .reason());
        assertEquals(before + 2, driver.launches());
        assertEquals("slim_e4m3_32", driver.launched());
        assertEquals(b.segment().address() + b.offset(), driver.argument(2));
        assertEquals(2 * 2, driver.grid(0));
    }

    @Test
    @DisplayName("a driver that can't describe a matrix leaves it to the plain kernels, and the next launch is whole")
    void refused() {
        Tensor a = left(DType.BF16, 3, 64);
        Tensor b = right(DType.BF16, 128, 64);
        driver.describes(1);
        assertEquals("few_bf16_4", launched(OpTable.MATMUL_BT, out(3, 128), a, b));
        assertEquals(block.segment().address(), driver.argument(1));
        assertEquals(a.segment().address() + a.offset(), driver.argument(2));
        assertEquals(3, driver.argument(4));
        driver.describes(PLENTY);
        assertEquals("slim_bt_8", launched(OpTable.MATMUL_BT, out(3, 128), a, b));
    }

    @Test
    @DisplayName("a capture records them")
    void captured() {
        Tensor a = left(DType.BF16, 3, 64);
        Tensor b = right(DType.BF16, 128, 64);
        launched(OpTable.MATMUL_BT, out(3, 128), a, b);
        long before = driver.launches();
        queue.beginCapture();
        launched(OpTable.MATMUL_BT, out(3, 128), a, b);
        try (Graph graph = queue.endCapture()) {
            graph.replay(queue);
            queue.synchronize();
        }
        assertNotEquals(before, driver.launches());
    }
}
