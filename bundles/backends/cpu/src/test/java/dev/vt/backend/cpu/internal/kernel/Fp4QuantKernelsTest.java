package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.ScaleLayout;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Quantisation to nvfp4 and fp8")
class Fp4QuantKernelsTest {
    private static final Queue QUEUE = new InlineQueue(InlineQueue.Cut.WHOLE);

    private record Quantised(Tensor packed, Tensor scale) {}

    private static Quantised target(ScaleLayout layout, long m, long k) {
        return new Quantised(
                Data.empty(DType.I8, 0, 0, m, k / 2),
                Data.empty(DType.I8, 0, 0, layout.rows(m), layout.groups(k / 16)));
    }

    private static Quantised quantise(Queue queue, Tensor x, float globalScale, ScaleLayout layout) {
        Quantised q = target(layout, x.dim(0), x.dim(1));
        assertEquals(Outcome.SERVED, Fp4QuantKernels.SCALED.run(queue, q.packed, q.scale, x, globalScale, layout));
        Data.assertOutsideUntouched(q.packed, "packed");
        Data.assertOutsideUntouched(q.scale, "scale");
        return q;
    }

    @Test
    @DisplayName("Each element comes back within half a step of its code, however ranges are cut")
    void close() {
        for (Queue queue : InlineQueue.all()) {
            for (DType dtype : new DType[] {DType.F32, DType.F16, DType.BF16}) {
                for (long[] size : new long[][] {{0, 32}, {3, 0}, {1, 16}, {5, 48}, {3, 2080}}) {
                    Tensor x = Data.of(dtype, Data.random(7, size[0] * size[1]), size);
                    Quantised q = quantise(queue, x, 300f, ScaleLayout.LINEAR);
                    for (long r = 0; r < size[0]; r++) {
                        checkRow(x, q, r, 300);
                    }
                }
            }
        }
    }

    private static void checkRow(Tensor x, Quantised q, long r, double g) {
        long k = x.dim(1);
        for (long c = 0; c < k; c++) {
            double largest = 0;
            for (long i = c / 16 * 16; i < c / 16 * 16 + 16; i++) {
                largest = Math.max(largest, Math.abs(Data.get(x, r * k + i)));
            }
            double scale = QuantData.e4m3(QuantData.get(q.scale, r * (k / 16) + c / 16));
            assertEquals(largest / 6 * g, scale, largest / 6 * g / 16 + 0.001, "scale");
            double back = QuantData.nvfp4(q.packed, q.scale, r, c) / g;
            // Half of the widest step, from 4 to 6, and what the scale's own rounding cuts off.
            assertEquals(Data.get(x, r * k + c), back, largest / 6 * 1.01 + largest / 15, "element " + r + "," + c);
        }
    }

    @Test
    @DisplayName("Swizzled scales are the linear ones in the other order, with padding 0; swizzle_blockscale agrees")
    void swizzled() {
        for (Queue queue : InlineQueue.all()) {
            for (long[] size : new long[][] {{0, 32}, {1, 16}, {127, 64}, {128, 64}, {129, 80}}) {
                Tensor x = Data.of(DType.F32, Data.random(9, size[0] * size[1]), size);
                Quantised linear = quantise(queue, x, 300f, ScaleLayout.LINEAR);
                Quantised other = quantise(queue, x, 300f, ScaleLayout.SWIZZLED);
                QuantData.assertSameBytes(linear.packed, other.packed, "codes");
                Tensor swizzled = Data.empty(DType.I8, 0, 0, other.scale.shape());
                assertEquals(Outcome.SERVED, new SwizzleBlockscaleKernel().run(queue, swizzled, linear.scale));
                QuantData.assertSameBytes(swizzled, other.scale, "scales");
                long groups = size[1] / 16;
                long padded = (groups + 3) / 4 * 4;
                for (long r = 0; r < swizzled.dim(0); r++) {
                    for (long g = 0; g < padded; g++) {
                        long at = (r / 128 * (padded / 4) + g / 4) * 512 + r % 32 * 16 + r % 128 / 32 * 4 + g % 4;
                        int expected = r < size[0] && g < groups ? QuantData.get(linear.scale, r * groups + g) : 0;
                        assertEquals(expected, QuantData.get(swizzled, at));
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("O5.5 blocks of zeros, of minus zeros, with a denormal, the largest float, infinities, a NaN")
    void blocks() {
        double[] zeros = new double[16];
        double[] minus = new double[16];
        Arrays.fill(minus, -0.0);
        assertBlock(zeros, 1, 0, new int[16]);
        assertBlock(minus, 1, 0, new int[16]);
        assertBlock(with(Float.MIN_VALUE), 1, 0, new int[16]);
        assertBlock(with(Float.MIN_VALUE), Float.MAX_VALUE, 0, new int[16]);
        assertBlock(with(Float.MAX_VALUE), 1, 0x7e, codes(7));
        assertBlock(with(Double.POSITIVE_INFINITY), 1, 0x7e, codes(7));
        assertBlock(with(Double.NEGATIVE_INFINITY), 1, 0x7e, codes(15));
        int[] all = new int[16];
        Arrays.fill(all, 7);
        assertBlock(with(Double.NaN), 1, 0x7f, all);
    }

    private static double[] with(double value) {
        double[] block = new double[16];
        block[3] = value;
        return block;
    }

    private static int[] codes(int code) {
        int[] codes = new int[16];
        codes[3] = code;
        return codes;
    }

    private static void assertBlock(double[] values, float globalScale, int scale, int[] codes) {
        Tensor x = Data.of(DType.F32, values, 1, 16);
        Quantised q = quantise(QUEUE, x, globalScale, ScaleLayout.LINEAR);
        String what = Arrays.toString(values);
        assertEquals(scale, QuantData.get(q.scale, 0), what);
        for (int i = 0; i < 16; i++) {
            int pair = QuantData.get(q.packed, i / 2);
            assertEquals(codes[i], i % 2 == 0 ? pair & 15 : pair >> 4, what + " element " + i);
        }
    }

    @Test
    @DisplayName("Behind a gate the bytes are those of the gate to bf16, then the quantisation")
    void gated() {
        for (Queue queue : InlineQueue.all()) {
            for (DType dtype : new DType[] {DType.F32, DType.BF16}) {
                Tensor both = Data.of(dtype, Data.random(3, 5 * 96), 5, 96);
                Tensor product = Data.empty(DType.BF16, 0, 0, 5, 48);
                new GatedKernel(GatedKernel::silu).run(queue, product, both);
                Quantised expected = quantise(queue, product, 77f, ScaleLayout.SWIZZLED);
                Quantised one = target(ScaleLayout.SWIZZLED, 5, 48);
                Fp4QuantKernels.SILU_AND_MUL.run(queue, one.packed, one.scale, both, 77f, ScaleLayout.SWIZZLED);
                assertSame(expected, one);
                Quantised two = target(ScaleLayout.SWIZZLED, 5, 48);
                Tensor gate = half(both, 0);
                Tensor up = half(both, 48);
                Fp4QuantKernels.SILU_MUL.run(queue, two.packed, two.scale, gate, up, 77f, ScaleLayout.SWIZZLED);
                assertSame(expected, two);
                sigmoid(queue, gate);
            }
        }
    }

    private static Tensor half(Tensor both, int from) {
        double[] values = new double[5 * 48];
        for (int i = 0; i < values.length; i++) {
            values[i] = Data.get(both, i / 48 * 96 + from + i % 48);
        }
        return Data.of(both.dtype(), values, 5, 48);
    }

    private static void sigmoid(Queue queue, Tensor attn) {
        Tensor gate = Data.of(DType.F32, Data.random(4, 5 * 48), 5, 48);
        double[] values = new double[5 * 48];
        for (int i = 0; i < values.length; i++) {
            values[i] = QuantData.bf16(Data.get(attn, i) / (1 + Math.exp(-Data.get(gate, i))));
        }
        Quantised expected = quantise(queue, Data.of(DType.BF16, values, 5, 48), 77f, ScaleLayout.LINEAR);
        Quantised given = target(ScaleLayout.LINEAR, 5, 48);
        Fp4QuantKernels.SIGMOID_GATE.run(queue, given.packed, given.scale, attn, gate, 77f, ScaleLayout.LINEAR);
        assertSame(expected, given);
    }

    private static void assertSame(Quantised expected, Quantised actual) {
        QuantData.assertSameBytes(expected.packed, actual.packed, "codes");
        QuantData.assertSameBytes(expected.scale, actual.scale, "scales");
    }

    @Test
    @DisplayName("quant_fp8_static: the nearest code of the quotient, saturating, a NaN stays one")
    void fp8() {
        double[] values = Data.random(5, 3 * 2051);
        for (int i = 0; i < values.length; i++) {
            values[i] *= 600;
        }
        values[0] = Double.NaN;
        values[1] = Double.POSITIVE_INFINITY;
        values[2] = Double.NEGATIVE_INFINITY;
        for (Queue queue : InlineQueue.all()) {
            Tensor x = Data.of(DType.F32, 0, 3, values, 3, 2051);
            Tensor out = Data.empty(DType.I8, 1, 0, 3, 2051);
            assertEquals(Outcome.SERVED, new QuantFp8StaticKernel().run(queue, out, x, 0.7f));
            Data.assertOutsideUntouched(out, "quant_fp8_static");
            assertTrue(Double.isNaN(QuantData.e4m3(QuantData.get(out, 0))));
            assertEquals(448, QuantData.e4m3(QuantData.get(out, 1)));
            assertEquals(-448, QuantData.e4m3(QuantData.get(out, 2)));
            for (int i = 3; i < values.length; i++) {
                double wanted = Math.clamp(Data.get(x, i) / 0.7f, -448, 448);
                double got = QuantData.e4m3(QuantData.get(out, i));
                assertTrue(Math.abs(wanted - got) <= Math.max(Math.abs(wanted) / 15.9, 0x1p-10), wanted + " " + got);
            }
        }
    }
}
