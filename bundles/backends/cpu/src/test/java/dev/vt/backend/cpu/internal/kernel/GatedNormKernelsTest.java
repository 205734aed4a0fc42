package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code l2_norm} and {@code rms_norm_gated}. */
class GatedNormKernelsTest {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private static final int[] WIDTHS = {1, 2, 3, 64, 127, 2049};

    private static double[] normalised(Tensor x, boolean mean, double eps) {
        int d = (int) x.lastDim();
        double[] out = Data.read(x);
        for (int r = 0; r < out.length / d; r++) {
            double sum = 0;
            for (int i = 0; i < d; i++) {
                sum += Math.pow(out[r * d + i], 2);
            }
            for (int i = 0; i < d; i++) {
                out[r * d + i] /= Math.sqrt((mean ? sum / d : sum) + eps);
            }
        }
        return out;
    }

    private static double[] gated(Tensor x, Tensor gate, Tensor weight, double eps, boolean sigmoid) {
        double[] out = normalised(x, true, eps);
        for (int i = 0; i < out.length; i++) {
            double z = Data.get(gate, i);
            out[i] *= Data.get(weight, i % x.lastDim()) * (sigmoid ? 1 : z) / (1 + Math.exp(-z));
        }
        return out;
    }

    @Test
    @DisplayName("O4.10 l2_norm: dtypes, widths, offsets, ranks 2 and 3, every cut")
    void l2Norm() {
        for (Queue queue : InlineQueue.all()) {
            for (DType dtype : FLOATS) {
                for (int d : WIDTHS) {
                    for (int offset : Data.OFFSETS) {
                        long[] shape = offset == 8 ? new long[] {2, 3, d} : new long[] {3, d};
                        Tensor x = Data.of(dtype, offset, 0, Data.random(1, (offset == 8 ? 6L : 3L) * d), shape);
                        Tensor out = Data.empty(offset == 60 ? DType.BF16 : DType.F32, offset, 0, shape);
                        assertEquals(Outcome.SERVED, new L2NormKernel().run(queue, out, x, 1e-6f));
                        Data.assertClose(normalised(x, false, 1e-6f), out, 1e-2, dtype + " " + d);
                        Data.assertOutsideUntouched(out, "l2_norm");
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("O4.10 rms_norm_gated: dtypes, widths, offsets, padded gates, both activations, every cut")
    void rmsNormGated() {
        for (Queue queue : InlineQueue.all()) {
            for (DType dtype : FLOATS) {
                for (int d : WIDTHS) {
                    for (int offset : Data.OFFSETS) {
                        boolean sigmoid = offset == 8;
                        Tensor x = Data.of(dtype, offset, 0, Data.random(1, 3L * d), 3, d);
                        Tensor gate = Data.of(dtype, offset, offset == 4 ? 5 : 0, Data.random(2, 3L * d), 3, d);
                        Tensor w = Data.of(dtype, offset, 0, Data.random(3, d), d);
                        Tensor out = Data.empty(offset == 60 ? DType.BF16 : DType.F32, offset, 0, 3, d);
                        new RmsNormGatedKernel().run(queue, out, x, gate, w, 1e-6f, sigmoid);
                        Data.assertClose(gated(x, gate, w, 1e-6f, sigmoid), out, 0.1, dtype + " " + d);
                        Data.assertOutsideUntouched(out, "rms_norm_gated");
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("rms_norm_gated: gates that are columns of a fused buffer, with heads")
    void fusedGate() {
        HostBlock block = new HostBlock(3 * 20 * 4);
        Tensor gate = Tensor.strided(block, 8 * 4, DType.F32, new long[] {3, 2, 4}, new long[] {20, 4, 1});
        double[] values = Data.random(4, 24);
        for (int i = 0; i < values.length; i++) {
            Data.put(gate, i, values[i]);
        }
        Tensor x = Data.of(DType.F32, Data.random(5, 24), 3, 2, 4);
        Tensor w = Data.of(DType.F32, Data.random(6, 4), 4);
        Tensor out = Data.empty(DType.F32, 0, 0, 3, 2, 4);
        new RmsNormGatedKernel().run(new InlineQueue(InlineQueue.Cut.SINGLE), out, x, gate, w, 1e-5f, false);
        Data.assertClose(gated(x, gate, w, 1e-5f, false), out, 0.1, "fused");
    }

    @Test
    @DisplayName("l2_norm: huge finite rows do not overflow, a row of zeros gives zeros, no rows do nothing")
    void extremes() {
        Queue queue = new InlineQueue(InlineQueue.Cut.WHOLE);
        Tensor x = Data.of(DType.F32, new double[] {3e38, 3e38, 0, 0}, 2, 2);
        Tensor out = Data.empty(DType.F32, 0, 0, 2, 2);
        new L2NormKernel().run(queue, out, x, 1e-6f);
        Data.assertClose(new double[] {Math.sqrt(0.5), Math.sqrt(0.5), 0, 0}, out, 1, "extremes");
        Tensor none = Data.empty(DType.F32, 0, 0, 0, 5);
        assertEquals(Outcome.SERVED, new L2NormKernel().run(queue, none, none, 1e-6f));
        Tensor w = Data.of(DType.F32, Data.random(1, 5), 5);
        assertEquals(Outcome.SERVED, new RmsNormGatedKernel().run(queue, none, none, none, w, 1e-6f, false));
    }

    @Test
    @DisplayName("O4.13 l2_norm, rms_norm_gated: a NaN makes its row NaN and no other, wherever it is")
    void nan() {
        Queue queue = new InlineQueue(InlineQueue.Cut.SEVEN);
        for (int at : new int[] {0, 4, 8}) {
            Tensor x = Data.of(DType.F32, Data.random(1, 3 * 9), 3, 9);
            Tensor gate = Data.of(DType.F32, Data.random(2, 3 * 9), 3, 9);
            Tensor w = Data.of(DType.F32, Data.random(3, 9), 9);
            Data.put(x, 9 + at, Double.NaN);
            Tensor l2 = Data.empty(DType.F32, 0, 0, 3, 9);
            Tensor rms = Data.empty(DType.F32, 0, 0, 3, 9);
            new L2NormKernel().run(queue, l2, x, 1e-6f);
            new RmsNormGatedKernel().run(queue, rms, x, gate, w, 1e-6f, true);
            for (int i = 0; i < 27; i++) {
                assertEquals(i / 9 == 1, Double.isNaN(Data.get(l2, i)));
                assertEquals(i / 9 == 1, Double.isNaN(Data.get(rms, i)));
            }
        }
    }
}
