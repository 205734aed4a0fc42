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

class NormKernelsTest {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private static final int[] WIDTHS = {1, 2, 3, 5, 64, 127, 2049};

    private static double[] rms(double[] x, double[] w, int h, double eps, boolean gemma) {
        double[] out = new double[x.length];
        for (int r = 0; r < x.length / h; r++) {
            double sum = 0;
            for (int i = 0; i < h; i++) {
                sum += Math.pow(x[r * h + i], 2);
            }
            for (int i = 0; i < h; i++) {
                out[r * h + i] = x[r * h + i] / Math.sqrt(sum / h + eps) * (gemma ? 1 + w[i] : w[i]);
            }
        }
        return out;
    }

    private static void checkRms(Queue queue, DType in, DType result, long offset, int t, int h, boolean gemma) {
        String what = in + "->" + result + " [" + t + "," + h + "] at " + offset;
        Tensor x = Data.of(in, offset, 0, Data.random(1, (long) t * h), t, h);
        Tensor w = Data.of(in, offset, 0, Data.random(2, h), h);
        Tensor out = Data.empty(result, offset, 0, t, h);
        assertEquals(Outcome.SERVED, new RmsNormKernel().run(queue, out, x, w, null, 1e-6f, gemma));
        Data.assertClose(rms(Data.read(x), Data.read(w), h, 1e-6f, gemma), out, 1, what);
        Data.assertOutsideUntouched(out, what);
    }

    @Test
    @DisplayName("O4.10 rms_norm: dtypes, widths, offsets, both forms")
    void rmsNorm() {
        for (Queue queue : InlineQueue.all()) {
            for (DType in : FLOATS) {
                for (int h : WIDTHS) {
                    for (int offset : Data.OFFSETS) {
                        checkRms(queue, in, DType.F32, offset, 3, h, offset == 4);
                        checkRms(queue, in, DType.BF16, offset, 1, h, offset == 8);
                    }
                }
            }
            checkRms(queue, DType.F32, DType.F32, 0, 0, 5, false);
            checkRms(queue, DType.F32, DType.F32, 0, 500, 64, false);
        }
    }

    @Test
    @DisplayName("rms_norm: the residual gets x, rounded once to its type, and that sum is normalised")
    void residual() {
        for (DType kept : List.of(DType.F32, DType.BF16)) {
            Tensor x = Data.of(DType.F32, Data.random(1, 4 * 33), 4, 33);
            Tensor residual = Data.of(kept, 4, 0, Data.random(2, 4 * 33), 4, 33);
            Tensor w = Data.of(DType.F32, Data.random(3, 33), 33);
            double[] sum = Data.read(residual);
            double[] added = Data.read(x);
            for (int i = 0; i < sum.length; i++) {
                sum[i] = (float) sum[i] + (float) added[i];
            }
            Tensor out = Data.empty(DType.F32, 0, 0, 4, 33);
            new RmsNormKernel().run(new InlineQueue(InlineQueue.Cut.SINGLE), out, x, w, residual, 1e-5f, false);
            Data.assertClose(sum, residual, 1, kept + " residual");
            Data.assertClose(rms(Data.read(residual), Data.read(w), 33, 1e-5f, false), out, 1, kept + " out");
            Data.assertOutsideUntouched(residual, kept + " residual");
        }
    }

    @Test
    @DisplayName("rms_norm: huge finite rows do not overflow, a row of zeros gives zeros")
    void extremes() {
        Tensor x = Data.of(DType.F32, new double[] {3e38, 3e38, 0, 0}, 2, 2);
        Tensor w = Data.of(DType.F32, new double[] {1, 2}, 2);
        Tensor out = Data.empty(DType.F32, 0, 0, 2, 2);
        new RmsNormKernel().run(new InlineQueue(InlineQueue.Cut.WHOLE), out, x, w, null, 1e-6f, false);
        Data.assertClose(new double[] {1, 2, 0, 0}, out, 1, "extremes");
    }

    @Test
    @DisplayName("O4.13 norms: a NaN makes its row NaN and no other, wherever it is")
    void nan() {
        for (int at : new int[] {0, 4, 8}) {
            Tensor x = Data.of(DType.F32, Data.random(1, 3 * 9), 3, 9);
            Data.put(x, 9 + at, Double.NaN);
            Tensor w = Data.of(DType.F32, Data.random(2, 9), 9);
            Tensor rms = Data.empty(DType.F32, 0, 0, 3, 9);
            Tensor layer = Data.empty(DType.F32, 0, 0, 3, 9);
            Queue queue = new InlineQueue(InlineQueue.Cut.WHOLE);
            new RmsNormKernel().run(queue, rms, x, w, null, 1e-6f, false);
            new LayerNormKernel().run(queue, layer, x, w, null, 1e-6f);
            for (int i = 0; i < 27; i++) {
                assertEquals(i / 9 == 1, Double.isNaN(Data.get(rms, i)), "rms_norm " + i);
                assertEquals(i / 9 == 1, Double.isNaN(Data.get(layer, i)), "layer_norm " + i);
            }
        }
    }

    private static double[] layer(double[] x, double[] w, double[] b, int h, double eps) {
        double[] out = new double[x.length];
        for (int r = 0; r < x.length / h; r++) {
            double mean = 0;
            double square = 0;
            for (int i = 0; i < h; i++) {
                mean += x[r * h + i] / h;
            }
            for (int i = 0; i < h; i++) {
                square += Math.pow(x[r * h + i] - mean, 2) / h;
            }
            for (int i = 0; i < h; i++) {
                out[r * h + i] = (x[r * h + i] - mean) / Math.sqrt(square + eps) * w[i] + b[i];
            }
        }
        return out;
    }

    @Test
    @DisplayName("O4.10 layer_norm: dtypes, widths, offsets, ranks, with and without weight and bias")
    void layerNorm() {
        for (Queue queue : InlineQueue.all()) {
            for (DType in : FLOATS) {
                for (int h : WIDTHS) {
                    for (int offset : Data.OFFSETS) {
                        Tensor x = Data.of(in, offset, 0, Data.random(1, 6L * h), 2, 3, h);
                        Tensor w = Data.of(in, offset, 0, Data.random(2, h), h);
                        Tensor b = Data.of(in, offset, 0, Data.random(3, h), h);
                        Tensor out = Data.empty(in == DType.F16 ? DType.BF16 : DType.F32, offset, 0, 2, 3, h);
                        boolean plain = offset == 8;
                        new LayerNormKernel().run(queue, out, x, plain ? null : w, plain ? null : b, 1e-5f);
                        double[] ones = new double[h];
                        java.util.Arrays.fill(ones, 1);
                        double[] expected = layer(
                                Data.read(x),
                                plain ? ones : Data.read(w),
                                plain ? new double[h] : Data.read(b),
                                h,
                                1e-5f);
                        // Where two elements all but agree, the variance is all rounding: h = 1 gives exactly the bias.
                        Data.assertClose(expected, out, 3, in + " h=" + h + " at " + offset);
                        Data.assertOutsideUntouched(out, "layer_norm");
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("layer_norm: a mean far from zero does not cost the variance")
    void largeMean() {
        double[] x = Data.random(4, 1000);
        for (int i = 0; i < x.length; i++) {
            x[i] = (float) (1e5 + x[i]);
        }
        double[] ones = new double[1000];
        java.util.Arrays.fill(ones, 1);
        Tensor out = Data.empty(DType.F32, 0, 0, 1, 1000);
        new LayerNormKernel()
                .run(new InlineQueue(InlineQueue.Cut.WHOLE), out, Data.of(DType.F32, x, 1, 1000), null, null, 1e-5f);
        Data.assertClose(layer(x, ones, new double[1000], 1000, 1e-5f), out, 1, "large mean");
        assertTrue(Math.abs(Data.get(out, 0)) < 3);
    }
}
