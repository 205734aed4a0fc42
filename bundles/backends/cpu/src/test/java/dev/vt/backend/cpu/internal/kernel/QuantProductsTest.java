package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.ScaleLayout;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Products of fp4 and fp8 matrices against double precision")
class QuantProductsTest {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private static final List<DType> RESULTS = List.of(DType.F32, DType.BF16);

    /** Sums of the products, and how large their terms are. */
    private static void check(Tensor out, int k, Matrix a, Matrix b, double alpha, String what) {
        double[] expected = new double[(int) out.elements()];
        double scale = 0;
        for (int i = 0; i < expected.length; i++) {
            long m = i / out.dim(1);
            long n = i % out.dim(1);
            double terms = 0;
            for (int j = 0; j < k; j++) {
                double term = a.at(m, j) * b.at(n, j) * alpha;
                expected[i] += term;
                terms += Math.abs(term);
            }
            scale = Math.max(scale, terms);
        }
        Data.assertClose(expected, out, scale, what);
        Data.assertOutsideUntouched(out, what);
    }

    @FunctionalInterface
    private interface Matrix {
        double at(long row, int k);
    }

    private static Tensor swizzle(Tensor scale) {
        long[] shape = {ScaleLayout.SWIZZLED.rows(scale.dim(0)), ScaleLayout.SWIZZLED.groups(scale.dim(1))};
        Tensor out = Data.empty(DType.I8, 0, 0, shape);
        new SwizzleBlockscaleKernel().run(new InlineQueue(InlineQueue.Cut.WHOLE), out, scale);
        return out;
    }

    @Test
    @DisplayName("matmul_nvfp4: every dtype, no rows, K of 0, more rows than a block")
    void weights() {
        for (Queue queue : InlineQueue.all()) {
            for (int[] size : new int[][] {{0, 3, 16}, {2, 0, 16}, {2, 3, 0}, {1, 1, 16}, {67, 5, 48}, {3, 9, 272}}) {
                for (DType in : FLOATS) {
                    for (DType result : RESULTS) {
                        weights(queue, in, result, size[0], size[1], size[2]);
                    }
                }
            }
        }
    }

    private static void weights(Queue queue, DType in, DType result, int m, int n, int k) {
        Tensor act = Data.of(in, Data.random(1, (long) m * k), m, k);
        Tensor packed = QuantData.codes(2, n, k / 2);
        Tensor scale = QuantData.scales(3, n, k / 16);
        Tensor out = Data.empty(result, 0, 0, m, n);
        float scale2 = 0.37f;
        assertEquals(Outcome.SERVED, new MatmulNvfp4Kernel().run(queue, out, act, packed, scale, scale2));
        Matrix w = (r, j) -> QuantData.bf16(QuantData.nvfp4(packed, scale, r, j) * scale2);
        check(out, k, (r, j) -> Data.get(act, r * k + j), w, 1, "matmul_nvfp4 " + in + " " + m + "," + n + "," + k);
    }

    @Test
    @DisplayName("matmul_nvfp4_fp4 and matmul_nvfp4_cutlass, with either alpha")
    void both() {
        for (Queue queue : InlineQueue.all()) {
            for (int[] size : new int[][] {{0, 32, 32}, {3, 0, 32}, {2, 32, 0}, {1, 32, 32}, {130, 32, 96}}) {
                for (DType result : RESULTS) {
                    both(queue, result, size[0], size[1], size[2]);
                }
            }
        }
    }

    private static void both(Queue queue, DType result, int m, int n, int k) {
        Tensor a = QuantData.codes(1, m, k / 2);
        Tensor aScale = QuantData.scales(2, m, k / 16);
        Tensor b = QuantData.codes(3, n, k / 2);
        Tensor bScale = QuantData.scales(4, n, k / 16);
        Tensor out = Data.empty(result, 0, 0, m, n);
        float alpha = -0.3f;
        assertEquals(Outcome.SERVED, new MatmulNvfp4Fp4Kernel().run(queue, out, a, aScale, b, bScale, alpha));
        Matrix left = (r, j) -> QuantData.nvfp4(a, aScale, r, j);
        Matrix right = (r, j) -> QuantData.nvfp4(b, bScale, r, j);
        check(out, k, left, right, alpha, "matmul_nvfp4_fp4 " + m + "," + n + "," + k);
        Tensor[] scalars = {null, Data.of(DType.F32, new double[] {2.5}, 1)};
        for (Tensor deviceAlpha : scalars) {
            Tensor to = Data.empty(DType.BF16, 0, 0, m, n);
            MatmulNvfp4Fp4Kernel.swizzled(queue, to, a, swizzle(aScale), b, swizzle(bScale), alpha, deviceAlpha);
            check(to, k, left, right, deviceAlpha == null ? alpha : 2.5, "matmul_nvfp4_cutlass");
        }
    }

    @Test
    @DisplayName("matmul_fp8: all codes, no rows, K of 0; a NaN reaches its row and column alone")
    void fp8() {
        for (Queue queue : InlineQueue.all()) {
            for (int[] size : new int[][] {{0, 16, 16}, {3, 0, 16}, {2, 16, 0}, {1, 16, 16}, {66, 32, 48}}) {
                Tensor a = QuantData.fp8(1, size[0], size[2]);
                Tensor b = QuantData.fp8(2, size[1], size[2]);
                for (DType result : RESULTS) {
                    Tensor out = Data.empty(result, 0, 0, size[0], size[1]);
                    assertEquals(Outcome.SERVED, new MatmulFp8Kernel().run(queue, out, a, b, 0.01f));
                    int k = size[2];
                    check(
                            out,
                            k,
                            (r, j) -> QuantData.e4m3(QuantData.get(a, r * k + j)),
                            (r, j) -> QuantData.e4m3(QuantData.get(b, r * k + j)),
                            0.01f,
                            "matmul_fp8");
                }
            }
        }
        Tensor a = QuantData.fp8(1, 3, 16);
        QuantData.set(a, 16 + 5, (byte) 0x7f);
        Tensor b = QuantData.fp8(2, 16, 16);
        Tensor out = Data.empty(DType.F32, 0, 0, 3, 16);
        new MatmulFp8Kernel().run(new InlineQueue(InlineQueue.Cut.WHOLE), out, a, b, 1);
        for (int i = 0; i < 48; i++) {
            assertEquals(i / 16 == 1, Double.isNaN(Data.get(out, i)), "element " + i);
        }
    }
}
