package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.Unary;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ElementwiseKernelsTest {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private static final List<DType> RESULTS = List.of(DType.F32, DType.BF16);
    private static final long[][] SHAPES = {{0, 3}, {1}, {2, 1}, {3, 5}, {2, 3, 2, 3}, {1, 2047}, {2, 2049}, {3, 6151}};

    private static void check(String op, DType in, DType result, Unary kernel, DoubleUnaryOperator f) {
        for (Queue queue : InlineQueue.all()) {
            for (long[] shape : SHAPES) {
                if (queue != InlineQueue.all().get(0) && shape[shape.length - 1] > 5000) {
                    continue;
                }
                for (int offset : Data.OFFSETS) {
                    String what = op + " " + in + "->" + result + Arrays.toString(shape) + " at " + offset;
                    long n = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
                    Tensor x = Data.of(in, offset, shape.length == 2 ? 3 : 0, scaled(Data.random(n, n), 4), shape);
                    Tensor out = Data.empty(result, offset, 0, shape);
                    assertEquals(Outcome.SERVED, kernel.run(queue, out, x), what);
                    Data.assertClose(Arrays.stream(Data.read(x)).map(f).toArray(), out, 1, what);
                    Data.assertOutsideUntouched(out, what);
                }
            }
        }
    }

    private static double[] scaled(double[] x, double by) {
        return Arrays.stream(x).map(v -> v * by).toArray();
    }

    @Test
    @DisplayName("O4.10 relu, mul_scalar, soft_cap: every dtype, offset, shape")
    void maps() {
        for (DType in : FLOATS) {
            check("relu", in, DType.F32, Maps.RELU, v -> Math.max(v, 0));
            check("mul_scalar", in, DType.F32, (q, o, x) -> Maps.MUL_SCALAR.run(q, o, x, -2.7), v -> v * -2.7);
            check("soft_cap", in, DType.BF16, (q, o, x) -> Maps.SOFT_CAP.run(q, o, x, 3), v -> 3 * Math.tanh(v / 3));
        }
    }

    @Test
    @DisplayName("O4.10 cast_f32, cast_bf16: every dtype, offset, shape, padded rows")
    void casts() {
        for (DType in : FLOATS) {
            for (DType result : RESULTS) {
                check("cast", in, result, Maps.CAST, v -> v);
            }
        }
    }

    @Test
    @DisplayName("cast_bf16 rounds to nearest, ties to even; a NaN is cut off and made quiet")
    void bf16Rounding() {
        int[][] cases = {
            {0x3f808000, 0x3f80},
            {0x3f818000, 0x3f82},
            {0x3f808001, 0x3f81},
            {0x3f807fff, 0x3f80},
            {0x7f7fffff, 0x7f80},
            {0x80000000, 0x8000},
            {0x00008000, 0x0000},
            {0x00018000, 0x0002},
            {0x7f800000, 0x7f80},
            {0xff800000, 0xff80},
            {0x7f800001, 0x7fc0},
            {0xff812345, 0xffc1},
            {0x7fffffff, 0x7fff},
        };
        for (int[] c : cases) {
            short got = Rows.bf16(Float.intBitsToFloat(c[0]));
            assertEquals(c[1], got & 0xffff, Integer.toHexString(c[0]) + " -> " + Integer.toHexString(got & 0xffff));
        }
    }

    @Test
    @DisplayName("O4.13 relu, casts, add, gates: a NaN stays where it is")
    void nan() {
        double[] values = {Double.NaN, -1, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1, Double.NaN};
        Tensor x = Data.of(DType.F32, values, 1, 6);
        Queue queue = new InlineQueue(InlineQueue.Cut.WHOLE);
        Tensor out = Data.empty(DType.F32, 0, 0, 1, 6);
        Maps.RELU.run(queue, out, x);
        Data.assertClose(new double[] {Double.NaN, 0, Double.POSITIVE_INFINITY, 0, 1, Double.NaN}, out, 1, "relu");
        Tensor half = Data.empty(DType.BF16, 0, 0, 1, 6);
        Maps.CAST.run(queue, half, x);
        Data.assertClose(values, half, 1, "cast_bf16");
        Tensor gated = Data.empty(DType.F32, 0, 0, 1, 3);
        new GatedKernel(GatedKernel::silu).run(queue, gated, x);
        Data.assertClose(new double[] {Double.NaN, -1 / (1 + Math.E), Double.NaN}, gated, 1, "silu_and_mul");
    }

    @Test
    @DisplayName("O4.10 silu_and_mul, gelu_and_mul: dtypes, offsets, widths")
    void gated() {
        for (Queue queue : InlineQueue.all()) {
            for (DType in : FLOATS) {
                for (int d : new int[] {1, 2, 5, 127, 2049}) {
                    for (int offset : Data.OFFSETS) {
                        gated(queue, in, RESULTS.get(d % 2), offset, 2, d);
                    }
                }
            }
            gated(queue, DType.F32, DType.F32, 0, 0, 8);
            gated(queue, DType.F32, DType.F32, 0, 3, 0);
        }
    }

    private static void gated(Queue queue, DType in, DType result, long offset, int t, int d) {
        Tensor x = Data.of(in, offset, 0, scaled(Data.random(d, 2L * t * d), 6), t, 2 * d);
        double[] values = Data.read(x);
        double[] silu = new double[t * d];
        double[] gelu = new double[t * d];
        for (int i = 0; i < t * d; i++) {
            double g = values[i / d * 2 * d + i % d];
            double up = values[i / d * 2 * d + d + i % d];
            silu[i] = g / (1 + Math.exp(-g)) * up;
            gelu[i] = g / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (g + 0.044715 * Math.pow(g, 3)))) * up;
        }
        Tensor out = Data.empty(result, offset, 0, t, d);
        assertEquals(Outcome.SERVED, new GatedKernel(GatedKernel::silu).run(queue, out, x));
        Data.assertClose(silu, out, 1, "silu_and_mul " + in + " d=" + d);
        assertEquals(Outcome.SERVED, new GatedKernel(GatedKernel::gelu).run(queue, out, x));
        Data.assertClose(gelu, out, 1, "gelu_and_mul " + in + " d=" + d);
        Data.assertOutsideUntouched(out, "gated");
    }

    @Test
    @DisplayName("O4.10 add: one shape, a vector to each row, in place, mixed dtypes, offsets")
    void add() {
        for (Queue queue : InlineQueue.all()) {
            for (DType left : FLOATS) {
                for (DType right : FLOATS) {
                    for (int offset : Data.OFFSETS) {
                        for (int d : new int[] {1, 7, 2050}) {
                            add(queue, left, right, DType.F32, offset, d, 3, d);
                            add(queue, left, right, DType.BF16, offset, d, d);
                        }
                    }
                }
            }
        }
    }

    private static void add(Queue queue, DType left, DType right, DType result, long offset, int d, long... bShape) {
        Tensor a = Data.of(left, offset, 0, Data.random(1, 3L * d), 3, d);
        Tensor b = Data.of(right, offset, 0, Data.random(2, bShape.length == 2 ? 3L * d : d), bShape);
        double[] x = Data.read(a);
        double[] y = Data.read(b);
        for (int i = 0; i < x.length; i++) {
            x[i] += y[i % y.length];
        }
        Tensor out = Data.empty(result, offset, 0, 3, d);
        assertEquals(Outcome.SERVED, new AddKernel().run(queue, out, a, b));
        Data.assertClose(x, out, 1, "add " + left + right + " d=" + d);
        Data.assertOutsideUntouched(out, "add");
        if (left != DType.F16) {
            new AddKernel().run(queue, a, a, b);
            Data.assertClose(x, a, 1, "add in place");
        }
    }

    @Test
    @DisplayName("O4.10 embedding: plain tables of every dtype, both id types, offsets")
    void embedding() {
        for (Queue queue : InlineQueue.all()) {
            for (DType table : FLOATS) {
                for (DType id : List.of(DType.I32, DType.I64)) {
                    for (int offset : Data.OFFSETS) {
                        embedding(queue, table, id, offset, 7);
                        embedding(queue, table, id, offset, 2051);
                    }
                }
            }
        }
    }

    private static void embedding(Queue queue, DType dtype, DType id, long offset, int h) {
        Tensor table = Data.of(dtype, offset, 0, Data.random(1, 5L * h), 5, h);
        double[] chosen = {4, 0, 4, 2};
        Tensor ids = Data.of(id, offset, 0, chosen, 4);
        double[] expected = new double[4 * h];
        for (int t = 0; t < 4; t++) {
            System.arraycopy(Data.read(table), (int) chosen[t] * h, expected, t * h, h);
        }
        for (DType result : RESULTS) {
            Tensor out = Data.empty(result, offset, 0, 4, h);
            assertEquals(Outcome.SERVED, new EmbeddingKernel().run(queue, out, table, ids));
            Data.assertClose(expected, out, 1, "embedding " + dtype + " h=" + h);
            Data.assertOutsideUntouched(out, "embedding");
        }
    }

    @Test
    @DisplayName("embedding: tables in every block encoding")
    void quantisedEmbedding() {
        for (DType dtype : DType.values()) {
            if (!dtype.isBlock()) {
                continue;
            }
            int h = 3 * dtype.blockElements();
            Tensor table = RandomBlocks.random(dtype, 2, 5, 4, h);
            Tensor out = Data.empty(DType.F32, 0, 0, 2, h);
            Tensor ids = Data.of(DType.I32, new double[] {3, 1}, 2);
            new EmbeddingKernel().run(new InlineQueue(InlineQueue.Cut.SINGLE), out, table, ids);
            double[] rows = RandomBlocks.read(table);
            double[] expected = new double[2 * h];
            System.arraycopy(rows, 3 * h, expected, 0, h);
            System.arraycopy(rows, h, expected, h, h);
            Data.assertClose(expected, out, 1, dtype.label());
        }
    }

    @Test
    @DisplayName("embedding: an id outside the table fails with op, index and bounds, before anything is written")
    void embeddingOutside() {
        for (long bad : new long[] {-1, 5, Long.MAX_VALUE}) {
            Tensor table = Data.of(DType.F32, Data.random(1, 15), 5, 3);
            Tensor ids = Data.of(DType.I64, new double[] {1, 2, 0}, 3);
            Data.put(ids, 2, bad);
            Tensor out = Data.empty(DType.F32, 0, 0, 3, 3);
            double[] before = Data.read(out);
            VtException e = assertThrows(
                    VtException.class,
                    () -> new EmbeddingKernel().run(new InlineQueue(InlineQueue.Cut.WHOLE), out, table, ids));
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
            assertEquals("op embedding on cpu:0: ids[2]: expected 0 to 4, given " + bad, e.getMessage());
            assertTrue(Arrays.equals(before, Data.read(out)));
        }
    }

    @Test
    @DisplayName("qkv_split: free widths, padded rows, the same bits")
    void qkvSplit() {
        for (Queue queue : InlineQueue.all()) {
            for (DType dtype : RESULTS) {
                for (int offset : Data.OFFSETS) {
                    Tensor qkv = Data.of(dtype, offset, 2, Data.random(1, 5 * 16), 5, 16);
                    Tensor q = Data.empty(dtype, offset, 0, 5, 9);
                    Tensor k = Data.empty(dtype, offset, 0, 5, 3);
                    Tensor v = Data.empty(dtype, offset, 0, 5, 4);
                    assertEquals(Outcome.SERVED, new QkvSplitKernel().run(queue, q, k, v, qkv));
                    for (int i = 0; i < 80; i++) {
                        int c = i % 16;
                        double got = c < 9
                                ? Data.get(q, i / 16 * 9 + c)
                                : c < 12 ? Data.get(k, i / 16 * 3 + c - 9) : Data.get(v, i / 16 * 4 + c - 12);
                        assertEquals(Data.get(qkv, i), got);
                    }
                    Data.assertOutsideUntouched(k, "qkv_split");
                }
            }
        }
    }

    @Test
    @DisplayName("a last dimension with gaps is declined, not misread")
    void gaps() {
        Tensor odd = Tensor.strided(new HostBlock(64), 0, DType.F32, new long[] {2, 2}, new long[] {4, 2});
        Tensor out = Data.empty(DType.F32, 0, 0, 2, 2);
        Queue queue = new InlineQueue(InlineQueue.Cut.WHOLE);
        assertEquals(Declines.NOT_CONTIGUOUS, Maps.RELU.run(queue, out, odd));
        assertEquals(Declines.NOT_CONTIGUOUS, new MatmulBtKernel().run(queue, out, out, odd));
        assertEquals(Declines.NOT_CONTIGUOUS, new RmsNormKernel().run(queue, out, odd, out, null, 1, false));
    }
}
