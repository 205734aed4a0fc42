package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MatmulBtKernelTest {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private final MatmulBtKernel kernel = new MatmulBtKernel();

    static double[] expected(Tensor a, Tensor b) {
        int m = (int) a.dim(0);
        int k = (int) a.dim(1);
        int n = (int) b.dim(0);
        double[] x = Data.read(a);
        double[] w = Data.read(b);
        double[] out = new double[m * n];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                for (int l = 0; l < k; l++) {
                    out[i * n + j] += x[i * k + l] * w[j * k + l];
                }
            }
        }
        return out;
    }

    private void check(Queue queue, DType in, DType weights, DType result, long offset, long pad, int m, int n, int k) {
        String what = in + "x" + weights + "->" + result + " M=" + m + " N=" + n + " K=" + k + " at " + offset;
        Tensor a = Data.of(in, offset, pad, Data.random(1, (long) m * k), m, k);
        Tensor b = Data.of(weights, offset, 0, Data.random(2, (long) n * k), n, k);
        Tensor out = Data.empty(result, offset, pad, m, n);
        assertEquals(Outcome.SERVED, kernel.run(queue, out, a, b), what);
        Data.assertClose(expected(a, b), out, Math.sqrt(k), what);
        Data.assertOutsideUntouched(out, what);
    }

    @Test
    @DisplayName("O4.10 matmul_bt: every dtype, offset and padding gives the product")
    void dtypesAndOffsets() {
        for (Queue queue : InlineQueue.all()) {
            for (DType in : FLOATS) {
                for (DType weights : FLOATS) {
                    for (int offset : Data.OFFSETS) {
                        check(queue, in, weights, DType.F32, offset, 3, 2, 5, 13);
                        check(queue, in, weights, DType.BF16, offset, 0, 3, 4, 8);
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("matmul_bt: awkward sizes around the edges of its tiles")
    void sizes() {
        Queue queue = new InlineQueue(InlineQueue.Cut.SEVEN);
        for (int m : new int[] {1, 2, 63, 64, 65, 131}) {
            for (int k : new int[] {1, 2, 7, 8, 9, 257}) {
                check(queue, DType.F32, DType.F32, DType.F32, 0, 0, m, 11, k);
            }
        }
        check(queue, DType.F32, DType.F32, DType.F32, 0, 0, 1, 997, 1031);
    }

    @Test
    @DisplayName("O4.11 matmul_bt: no rows and no columns do nothing, no depth gives zeros")
    void empty() {
        for (Queue queue : InlineQueue.all()) {
            check(queue, DType.F32, DType.F32, DType.F32, 0, 0, 0, 3, 4);
            check(queue, DType.F32, DType.F32, DType.F32, 0, 0, 3, 0, 4);
            check(queue, DType.F32, DType.BF16, DType.F32, 0, 0, 3, 4, 0);
            check(queue, DType.F32, DType.F32, DType.F32, 0, 0, 0, 0, 0);
        }
    }

    @Test
    @DisplayName("matmul_bt: a row's result is the same bits in every batch and for every cut of the work")
    void batchInvariant() {
        int k = 300;
        int n = 70;
        double[] x = Data.random(3, 130L * k);
        Tensor b = Data.of(DType.F32, Data.random(4, (long) n * k), n, k);
        Tensor all = Data.empty(DType.F32, 0, 0, 130, n);
        kernel.run(new InlineQueue(InlineQueue.Cut.WHOLE), all, Data.of(DType.F32, x, 130, k), b);
        double[] batch = Data.read(all);
        for (Queue queue : InlineQueue.all()) {
            for (int row : new int[] {0, 63, 64, 129}) {
                Tensor one = Data.empty(DType.F32, 0, 0, 1, n);
                double[] alone = java.util.Arrays.copyOfRange(x, row * k, (row + 1) * k);
                kernel.run(queue, one, Data.of(DType.F32, alone, 1, k), b);
                assertTrue(java.util.Arrays.equals(
                        Data.read(one), java.util.Arrays.copyOfRange(batch, row * n, (row + 1) * n)));
            }
        }
    }

    @Test
    @DisplayName("O4.13 matmul_bt: a NaN stays in its row")
    void nan() {
        Tensor a = Data.of(DType.F32, Data.random(5, 3 * 9), 3, 9);
        Data.put(a, 9 + 4, Double.NaN);
        Tensor b = Data.of(DType.F32, Data.random(6, 4 * 9), 4, 9);
        Tensor out = Data.empty(DType.F32, 0, 0, 3, 4);
        kernel.run(new InlineQueue(InlineQueue.Cut.WHOLE), out, a, b);
        Data.assertClose(expected(a, b), out, 3, "NaN");
    }
}
