package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MoeKernelsTest {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private static final List<DType> OUT = List.of(DType.F32, DType.BF16);
    private static final int[] WIDTHS = {0, 1, 7, 64, 2047, 2049};

    private static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    @Test
    @DisplayName("O4.10 moe_silu_mul: dtypes, widths, offsets, every cut")
    void siluMul() {
        for (Queue queue : InlineQueue.all()) {
            for (DType dtype : FLOATS) {
                for (int width : WIDTHS) {
                    for (int offset : Data.OFFSETS) {
                        Tensor gate = Data.of(dtype, offset, 0, Data.random(1, 3L * width), 3, width);
                        Tensor up = Data.of(dtype, offset, 0, Data.random(2, 3L * width), 3, width);
                        Tensor out = Data.empty(OUT.get(offset / 60 % 2), offset, 0, 3, width);
                        assertEquals(Outcome.SERVED, new MoeSiluMulKernel().run(queue, out, gate, up));
                        double[] want = Data.read(gate);
                        for (int i = 0; i < want.length; i++) {
                            want[i] = want[i] * sigmoid(want[i]) * Data.get(up, i);
                        }
                        Data.assertClose(want, out, 0.1, dtype + " " + width);
                        Data.assertOutsideUntouched(out, "moe_silu_mul");
                    }
                }
            }
        }
    }

    private static double[] combined(Tensor experts, Tensor weights, double[] shared) {
        int k = (int) weights.dim(1);
        int h = (int) experts.dim(2);
        double[] want = shared.clone();
        for (int t = 0; t < weights.dim(0); t++) {
            for (int e = 0; e < k; e++) {
                for (int c = 0; c < h; c++) {
                    want[t * h + c] += Data.get(weights, t * k + e) * Data.get(experts, (t * k + e) * h + c);
                }
            }
        }
        return want;
    }

    @Test
    @DisplayName("O4.10 moe_combine: dtypes, widths, no experts, with and without the shared term, every cut")
    void combine() {
        for (Queue queue : InlineQueue.all()) {
            for (DType dtype : FLOATS) {
                for (int h : WIDTHS) {
                    for (int k : new int[] {0, 1, 3, 8}) {
                        Tensor experts = Data.of(dtype, 4, 0, Data.random(k, 3L * k * h), 3, k, h);
                        Tensor weights = Data.of(DType.F32, Data.random(9, 3L * k), 3, k);
                        Tensor shared = Data.of(dtype, 8, 0, Data.random(h, 3L * h), 3, h);
                        Tensor out = Data.empty(OUT.get(k % 2), 4, 0, 3, h);
                        new MoeCombineKernel().run(queue, out, experts, weights, shared);
                        Data.assertClose(combined(experts, weights, Data.read(shared)), out, 2, dtype + " " + h);
                        new MoeCombineKernel().run(queue, out, experts, weights, null);
                        Data.assertClose(combined(experts, weights, new double[3 * h]), out, 2, dtype + " " + h);
                        Data.assertOutsideUntouched(out, "moe_combine");
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("shared_expert_gate, moe_combine_gate: the one call has the bits of the two")
    void gates() {
        for (Queue queue : InlineQueue.all()) {
            for (int h : WIDTHS) {
                Tensor shared = Data.of(DType.F32, 4, 0, Data.random(1, 3L * h), 3, h);
                Tensor gates = Data.of(DType.F32, new double[] {-2, 0.3, 40}, 3, 1);
                Tensor part = Data.empty(DType.BF16, 2, 0, 3, h);
                new SharedExpertGateKernel().run(queue, part, shared, gates);
                double[] want = Data.read(shared);
                for (int i = 0; i < want.length; i++) {
                    want[i] *= sigmoid(Data.get(gates, i / h));
                }
                Data.assertClose(want, part, 0, "shared_expert_gate");
                Data.assertOutsideUntouched(part, "shared_expert_gate");
                Tensor flat = Data.of(DType.F32, Data.read(gates), 3);
                Tensor again = Data.empty(DType.BF16, 0, 0, 3, h);
                new SharedExpertGateKernel().run(queue, again, shared, flat);
                assertArrayEquals(Data.read(part), Data.read(again));

                Tensor experts = Data.of(DType.BF16, Data.random(2, 6L * h), 3, 2, h);
                Tensor weights = Data.of(DType.F32, Data.random(3, 6), 3, 2);
                Tensor two = Data.empty(DType.F32, 0, 0, 3, h);
                Tensor one = Data.empty(DType.F32, 4, 0, 3, h);
                new MoeCombineKernel().run(queue, two, experts, weights, part);
                new MoeCombineGateKernel().run(queue, one, experts, weights, shared, gates);
                assertArrayEquals(Data.read(two), Data.read(one));
                Data.assertOutsideUntouched(one, "moe_combine_gate");
            }
        }
    }

    @Test
    @DisplayName("O4.13 mixture of experts: a NaN reaches what is made of it and nothing else, even with weight 0")
    void nan() {
        Queue queue = new InlineQueue(InlineQueue.Cut.SEVEN);
        Tensor experts = Data.of(DType.F32, Data.random(2, 2 * 2 * 3), 2, 2, 3);
        Data.put(experts, 4, Double.NaN);
        Tensor weights = Data.of(DType.F32, new double[] {1, 0, 1, 1}, 2, 2);
        Tensor out = Data.empty(DType.F32, 0, 0, 2, 3);
        new MoeCombineKernel().run(queue, out, experts, weights, null);
        for (int i = 0; i < 6; i++) {
            assertEquals(i == 1, Double.isNaN(Data.get(out, i)), "element " + i);
        }
        Tensor gate = Data.of(DType.F32, new double[] {Double.NaN, 1, Double.NEGATIVE_INFINITY, 3}, 1, 4);
        Tensor up = Data.of(DType.F32, new double[] {1, Double.NaN, 1, 0}, 1, 4);
        Tensor product = Data.empty(DType.F32, 0, 0, 1, 4);
        new MoeSiluMulKernel().run(queue, product, gate, up);
        assertTrue(Double.isNaN(Data.get(product, 0)) && Double.isNaN(Data.get(product, 1)));
        assertEquals(0, Data.get(product, 3));
    }
}
