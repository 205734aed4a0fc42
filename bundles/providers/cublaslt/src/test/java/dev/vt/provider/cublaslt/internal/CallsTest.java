package dev.vt.provider.cublaslt.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Matmul;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What single calls do: declines, failures of the library, plans. */
class CallsTest extends OnFakeCuda {
    private static final int NOT_SUPPORTED = 15;
    private static final int INTERNAL_ERROR = 14;

    @Test
    @DisplayName("S13 types, strides and addresses that cuBLASLt has nothing for are declined, and nothing is planned")
    void declines() {
        Memory block = cuda.allocate(4096);
        Matmul plain =
                (Matmul) Objects.requireNonNull(provider.kernels().asMap().get(OpTable.BATCHED_MATMUL));
        Tensor f32 = Tensor.of(block, 0, DType.F32, 2, 4);
        Tensor f16 = Tensor.of(block, 512, DType.F16, 2, 4);
        Tensor bf16 = Tensor.of(block, 1024, DType.BF16, 2, 4);
        Tensor square = Tensor.of(block, 2048, DType.F32, 2, 2);
        assertEquals(Declines.MIXED_TYPES, matmulBt().run(queue, square, f32, f16));
        assertEquals(Declines.OUT_TYPE, matmulBt().run(queue, Tensor.of(block, DType.BF16, 2, 2), f32, f32));
        assertEquals(Declines.OUT_TYPE, matmulBt().run(queue, Tensor.of(block, DType.BF16, 2, 2), f16, f16));
        assertEquals(Declines.MISALIGNED, matmulBt().run(queue, square, Tensor.of(block, 2, DType.F32, 2, 4), f32));
        assertEquals(
                Declines.STRIDED,
                matmulBt()
                        .run(
                                queue,
                                square,
                                Tensor.strided(block, 0, DType.F32, new long[] {2, 4}, new long[] {8, 2}),
                                f32));
        Tensor wide = Tensor.of(block, 3072, DType.F32, 1, 2, 2);
        Tensor same = Tensor.strided(block, 0, DType.F32, new long[] {1, 2, 4}, new long[] {8, 0, 1});
        assertEquals(Declines.OVERLAPPING, plain.run(queue, wide, same, Tensor.of(block, 256, DType.F32, 1, 4, 2)));
        assertEquals(
                Declines.NOTHING_TO_ADD,
                matmulBt().run(queue, square, Tensor.of(block, DType.F32, 2, 0), Tensor.of(block, DType.F32, 2, 0)));
        served(matmulBt().run(queue, Tensor.of(block, DType.BF16, 0, 2), bf16.rows(0, 0), bf16));
        assertEquals(0, fake.handles());
        block.close();
    }

    @Test
    @DisplayName("S13 no algorithm: declined at once the next time; a library that refuses at last is declined too")
    void refused() {
        Tensor a = counting(2, 64, 1);
        Tensor b = counting(3, 64, 1);
        Tensor out = empty(2, 3);
        fake.fail("cublasLtMatmulAlgoGetHeuristic", 1, NOT_SUPPORTED);
        assertEquals(Declines.NO_ALGORITHM, matmulBt().run(queue, out, a, b));
        assertEquals(Declines.NO_ALGORITHM, matmulBt().run(queue, out, a, b));
        assertEquals(1, fake.plans());
        fake.fail("cublasLtMatmul", 1, NOT_SUPPORTED);
        Tensor other = empty(2, 2);
        assertEquals(Declines.NOT_SUPPORTED, matmulBt().run(queue, other, a, b.rows(0, 2)));
        assertEquals(Declines.NOT_SUPPORTED, matmulBt().run(queue, other, a, b.rows(0, 2)));
        assertEquals(0, fake.products());
        close(a, b, out, other);
    }

    @Test
    @DisplayName("S13 a library that does not start on the device declines every product, and is asked once")
    void doesNotStart() {
        Tensor a = counting(2, 64, 1);
        Tensor out = empty(2, 2);
        fake.fail("cublasLtCreate", 1, 1);
        assertEquals(Declines.NO_HANDLE, matmulBt().run(queue, out, a, a));
        assertEquals(Declines.NO_HANDLE, matmulBt().run(queue, out, a, a));
        assertEquals(0, fake.handles());
        close(a, out);
    }

    @Test
    @DisplayName(
            "S13 what fails inside the library is the caller's error, names code and call, and leaves nothing behind")
    void fails() {
        Tensor a = counting(2, 64, 1);
        Tensor out = empty(2, 2);
        fake.fail("cublasLtMatrixLayoutCreate", 2, 3);
        VtException e = assertThrows(VtException.class, () -> matmulBt().run(queue, out, a, a));
        assertEquals(ErrorCode.KERNEL_FAILED, e.code());
        assertEquals("cuBLASLt: cublasLtMatrixLayoutCreate gives ALLOC_FAILED (3)", e.getMessage());
        assertEquals(0, fake.plans() + fake.layouts());
        fake.fail("cublasLtMatmul", 1, INTERNAL_ERROR);
        e = assertThrows(VtException.class, () -> matmulBt().run(queue, out, a, a));
        assertEquals(
                "cuBLASLt on cuda:0: the product of f32[2,64] and f32[2,64] gives INTERNAL_ERROR (14)", e.getMessage());
        served(matmulBt().run(queue, out, a, a));
        close(a, out);
    }

    @Test
    @DisplayName("B1 no room for scratch memory: one sentence, and the queue goes on")
    void noRoom() {
        Tensor a = counting(2, 64, 1);
        Tensor out = empty(2, 2);
        fake.memory(fake.used());
        VtException e = assertThrows(VtException.class, () -> matmulBt().run(queue, out, a, a));
        assertEquals(ErrorCode.OUT_OF_MEMORY, e.code());
        fake.memory(1 << 28);
        served(matmulBt().run(queue, out, a, a));
        queue.synchronize();
        close(a, out);
    }

    @Test
    @DisplayName("S18 plans are kept for 512 shapes; the oldest go")
    void bounded() {
        Tensor a = counting(600, 4, 1);
        Tensor out = empty(600, 4);
        Tensor b = counting(4, 4, 1);
        for (int turn = 0; turn < 2; turn++) {
            for (int m = 1; m <= 600; m++) {
                served(matmulBt().run(queue, out.rows(0, m), a.rows(0, m), b));
                assertTrue(fake.plans() <= PlanCache.LIMIT);
            }
        }
        assertEquals(PlanCache.LIMIT, fake.plans());
        assertEquals(3 * PlanCache.LIMIT, fake.layouts());
        queue.synchronize();
        close(a, b, out);
    }

    @Test
    @DisplayName("B3 threads with queues of their own, over more shapes than are kept: each result is right")
    void threads() {
        Tensor a = counting(300, 64, 1);
        Tensor b = counting(8, 64, 3);
        float[] all = product(read(queue, a), read(queue, b), 300, 8, 64);
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            int first = 1 + thread;
            running.add(CompletableFuture.runAsync(() -> multiply(a, b, all, first)));
        }
        running.forEach(CompletableFuture::join);
        close(a, b);
    }

    private void multiply(Tensor a, Tensor b, float[] all, int first) {
        try (Queue own = cuda.createQueue()) {
            Tensor out = empty(300, 8);
            for (int m = first; m <= 300; m += 2) {
                for (int n = 1; n <= 8; n += 3) {
                    Tensor part = Tensor.of(out.memory(), DType.F32, m, n);
                    served(matmulBt().run(own, part, a.rows(0, m), b.rows(0, n)));
                    float[] values = read(own, part);
                    for (int i = 0; i < values.length; i++) {
                        assertEquals(all[i / n * 8 + i % n], values[i]);
                    }
                }
            }
            close(out);
        }
    }

    @Test
    @DisplayName("B7 a graph has scratch memory of its own: replayed on one queue while another uses its own")
    void scratchOfGraphs() {
        Tensor a = counting(4, 128, 1);
        Tensor b = counting(6, 128, 2);
        Tensor first = empty(4, 6);
        Tensor second = empty(4, 6);
        float[] expected = product(read(queue, a), read(queue, b), 4, 6, 128);
        served(matmulBt().run(queue, first, a, b));
        long before = fake.used();
        queue.beginCapture();
        served(matmulBt().run(queue, second, a, b));
        try (var graph = queue.endCapture();
                Queue other = cuda.createQueue()) {
            assertTrue(fake.scratch() > 0 && fake.used() > before, "the graph has scratch memory of its own");
            fake.hold();
            graph.replay(other);
            served(matmulBt().run(queue, first, b.rows(0, 4), b));
            graph.replay(queue);
            fake.go();
            assertArrayEquals(expected, read(queue, second));
        }
        queue.synchronize();
        close(a, b, first, second);
    }
}
