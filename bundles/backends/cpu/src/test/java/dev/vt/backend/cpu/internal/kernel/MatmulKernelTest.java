package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MatmulKernelTest {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private final MatmulKernel kernel = new MatmulKernel();

    private void check(Queue queue, DType in, DType weights, DType result, long offset, int m, int n, int k) {
        String what = in + "x" + weights + "->" + result + " M=" + m + " N=" + n + " K=" + k + " at " + offset;
        Tensor a = Data.of(in, offset, 0, Data.random(1, (long) m * k), m, k);
        Tensor b = Data.of(weights, offset, 0, Data.random(2, (long) n * k), k, n);
        Tensor out = Data.empty(result, offset, 0, m, n);
        double[] x = Data.read(a);
        double[] w = Data.read(b);
        double[] expected = new double[m * n];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                for (int l = 0; l < k; l++) {
                    expected[i * n + j] += x[i * k + l] * w[l * n + j];
                }
            }
        }
        assertEquals(Outcome.SERVED, kernel.run(queue, out, a, b), what);
        Data.assertClose(expected, out, Math.sqrt(k), what);
        Data.assertOutsideUntouched(out, what);
    }

    @Test
    @DisplayName("O4.10 matmul: every dtype at every offset gives the product")
    void dtypesAndOffsets() {
        for (Queue queue : InlineQueue.all()) {
            for (DType in : FLOATS) {
                for (DType weights : FLOATS) {
                    for (int offset : Data.OFFSETS) {
                        check(queue, in, weights, DType.F32, offset, 2, 5, 13);
                        check(queue, in, weights, DType.BF16, offset, 3, 4, 7);
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("matmul: awkward sizes around the edges of its tiles")
    void sizes() {
        Queue queue = new InlineQueue(InlineQueue.Cut.SEVEN);
        for (int m : new int[] {1, 7, 8, 9, 17}) {
            for (int n : new int[] {1, 2, 255, 256, 257}) {
                for (int k : new int[] {1, 2, 127, 128, 129}) {
                    check(queue, DType.F32, DType.F32, DType.F32, 0, m, n, k);
                }
            }
        }
        check(queue, DType.F32, DType.BF16, DType.F32, 0, 31, 997, 257);
    }

    @Test
    @DisplayName("O4.11 matmul: no rows and no columns do nothing, no depth gives zeros")
    void empty() {
        for (Queue queue : InlineQueue.all()) {
            check(queue, DType.F32, DType.F32, DType.F32, 0, 0, 3, 4);
            check(queue, DType.F32, DType.F32, DType.F32, 0, 3, 0, 4);
            check(queue, DType.F32, DType.F32, DType.F32, 0, 3, 4, 0);
        }
    }

    @Test
    @DisplayName("O4.13 matmul: a NaN stays in its row, and a zero does not hide it")
    void nan() {
        Tensor a = Data.of(DType.F32, new double[] {0, 1, 0, 1}, 2, 2);
        Tensor b = Data.of(DType.F32, new double[] {Double.NaN, 1, 1, 1}, 2, 2);
        Tensor out = Data.empty(DType.F32, 0, 0, 2, 2);
        kernel.run(new InlineQueue(InlineQueue.Cut.WHOLE), out, a, b);
        Data.assertClose(new double[] {Double.NaN, 1, Double.NaN, 1}, out, 1, "NaN in b");
    }

    @Test
    @DisplayName("O4.12 matmul_bt_quant: every format, every number of blocks, every batch around the tile")
    void quantised() {
        MatmulBtKernel quant = new MatmulBtKernel();
        Queue queue = new InlineQueue(InlineQueue.Cut.SEVEN);
        for (DType dtype : DType.values()) {
            for (int blocks = 1; dtype.isBlock() && blocks <= 5; blocks++) {
                for (int m : new int[] {1, 2, 50, 63, 64, 65}) {
                    int k = blocks * dtype.blockElements();
                    int n = 9;
                    String what = dtype + " K=" + k + " M=" + m;
                    Tensor a = Data.of(DType.F32, 4, 1, Data.random(m, (long) m * k), m, k);
                    Tensor b = RandomBlocks.random(dtype, 2, k, n, k);
                    Tensor out = Data.empty(DType.F32, 0, 2, m, n);
                    double[] x = Data.read(a);
                    double[] w = RandomBlocks.read(b);
                    double[] expected = new double[m * n];
                    for (int i = 0; i < m * n; i++) {
                        for (int l = 0; l < k; l++) {
                            expected[i] += x[i / n * k + l] * w[i % n * k + l];
                        }
                    }
                    assertEquals(Outcome.SERVED, quant.run(queue, out, a, b), what);
                    double largest =
                            java.util.Arrays.stream(w).map(Math::abs).max().orElseThrow();
                    Data.assertClose(expected, out, Math.sqrt(k) * largest, what);
                    Data.assertOutsideUntouched(out, what);
                }
            }
        }
    }
}
