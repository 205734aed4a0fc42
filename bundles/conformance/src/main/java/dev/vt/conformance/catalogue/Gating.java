package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.List;

/** Between convolution and delta rule: {@code gdn_g_beta}, {@code gdn_conv_split}, {@code gdn_post_conv}. */
final class Gating {
    /** An exponential, a logarithm, and the products and divisions around them, each of a few roundings. */
    private static final double ROUNDINGS = 16;

    private static final float EPS = 1e-6f;

    private Gating() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.GDN_G_BETA, "TxHv")
                        .dtypes(Dtypes.STORED)
                        .quick("1x4", "3x33", "5x32")
                        .full("0x8", "3x0", "1x1", "2x7", "4x127", "4x128", "4x129", "67x48")
                        .patterns(
                                Pattern.NAN_MIDDLE,
                                Pattern.NAN_LAST,
                                Pattern.INFINITE,
                                Pattern.MINUS_INFINITE,
                                Pattern.DENORMAL,
                                Pattern.ZERO,
                                Pattern.LARGE)
                        .makes(Gating::gBeta),
                OpSpec.of(OpTable.GDN_CONV_SPLIT, "TxKxV")
                        .quick("1x64x32", "3x33x7", "5x16x65")
                        .full("0x4x5", "3x0x5", "3x4x0", "1x1x1", "2x127x128", "2x2048x4096")
                        .patterns(Pattern.NAN_MIDDLE, Pattern.INFINITE, Pattern.DENORMAL)
                        .makes(Gating::split),
                OpSpec.of(OpTable.GDN_POST_CONV, "TxHkxHvxDkxDv")
                        .dtypes(Dtypes.STORED)
                        .quick("1x2x4x16x8", "3x1x3x33x5", "5x2x4x64x17")
                        .full(
                                "0x1x1x4x4",
                                "3x0x2x4x4",
                                "3x2x0x4x4",
                                "3x1x2x0x3",
                                "3x1x2x3x0",
                                "1x1x1x1x1",
                                "2x1x1x127x31",
                                "2x2x2x129x128",
                                "4x16x32x128x128")
                        .patterns(Pattern.NAN_FIRST, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.ZERO)
                        .makes(Gating::postConv));
    }

    /** -exp(aLog) * softplus(a + dtBias). */
    static double g(double a, double dtBias, double aLog) {
        return -Math.exp(aLog) * softplus(a + dtBias);
    }

    private static double softplus(double x) {
        return x > 20 ? x : Math.log1p(Math.exp(x));
    }

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    /** Some elements over the root of the sum of their squares and eps. */
    static double[] unit(double[] x, int from, int n, double eps) {
        double squares = eps;
        for (int i = 0; i < n; i++) {
            squares += x[from + i] * x[from + i];
        }
        double[] y = new double[n];
        for (int i = 0; i < n; i++) {
            y[i] = x[from + i] * (1 / Math.sqrt(squares));
        }
        return y;
    }

    private static void gBeta(Draft d) {
        int t = d.dim(0);
        int heads = d.dim(1);
        Operand g = d.out("g", DType.F32, t, heads);
        Operand beta = d.out("beta", DType.F32, t, heads);
        Operand a = d.data("a", d.dtype(), t, heads).mayPad();
        Operand b = d.data("b", d.dtype(), t, heads).mayPad();
        Operand aLog = d.uniform("aLog", -2, 1, d.dtype(), heads);
        Operand dtBias = d.normal("dtBias", d.dtype(), heads);
        expectGates(heads, g, beta, a, b, aLog, dtBias);
        d.flops(8.0 * t * heads);
        d.call((ops, q, x) -> ops.gdnGBeta(q, x[0], x[1], x[2], x[3], x[4], x[5]));
    }

    private static void expectGates(
            int heads, Operand g, Operand beta, Operand a, Operand b, Operand aLog, Operand dtBias) {
        g.expect(() -> {
            double[] y = new double[a.values().length];
            double[] sizes = new double[y.length];
            for (int i = 0; i < y.length; i++) {
                double bias = dtBias.values()[i % heads];
                y[i] = g(a.values()[i], bias, aLog.values()[i % heads]);
                // The rounding of a + dtBias, by the slope of the softplus there, is part of the error.
                double sum = Math.abs(a.values()[i]) + Math.abs(bias);
                sizes[i] = Math.abs(y[i]) + Math.exp(aLog.values()[i % heads]) * sigmoid(a.values()[i] + bias) * sum;
            }
            return Expected.close(y, sizes, ROUNDINGS);
        });
        beta.expect(() -> {
            double[] y = new double[b.values().length];
            for (int i = 0; i < y.length; i++) {
                y[i] = sigmoid(b.values()[i]);
            }
            return Expected.close(y, ROUNDINGS);
        });
    }

    private static void split(Draft d) {
        int t = d.dim(0);
        int keys = d.dim(1);
        int values = d.dim(2);
        Operand q = d.out("q", DType.F32, t, keys);
        Operand k = d.out("k", DType.F32, t, keys);
        Operand v = d.out("v", DType.F32, t, values);
        Operand x = d.data("x", DType.F32, t, 2 * keys + values);
        q.expect(() -> Expected.exact(columns(x, t, 0, keys)));
        k.expect(() -> Expected.exact(columns(x, t, keys, keys)));
        v.expect(() -> Expected.exact(columns(x, t, 2 * keys, values)));
        d.call((ops, queue, a) -> ops.gdnConvSplit(queue, a[0], a[1], a[2], a[3]));
    }

    private static double[] columns(Operand x, int rows, int from, int n) {
        int width = (int) x.shape()[1];
        double[] y = new double[rows * n];
        for (int r = 0; r < rows; r++) {
            System.arraycopy(x.values(), r * width + from, y, r * n, n);
        }
        return y;
    }

    private static void postConv(Draft d) {
        int t = d.dim(0);
        int keyHeads = d.dim(1);
        int heads = d.dim(2);
        int dk = d.dim(3);
        int dv = d.dim(4);
        int keys = keyHeads * dk;
        Operand q = d.out("q", DType.F32, t, keyHeads, dk);
        Operand k = d.out("k", DType.F32, t, keyHeads, dk);
        Operand v = d.out("v", DType.F32, t, heads, dv);
        Operand g = d.out("g", DType.F32, t, heads);
        Operand beta = d.out("beta", DType.F32, t, heads);
        Operand x = d.data("x", DType.F32, t, 2 * keys + heads * dv);
        Operand a = d.normal("a", d.dtype(), t, heads).mayPad();
        Operand b = d.normal("b", d.dtype(), t, heads).mayPad();
        Operand aLog = d.uniform("aLog", -2, 1, d.dtype(), heads);
        Operand dtBias = d.normal("dtBias", d.dtype(), heads);
        q.expect(() -> units(columns(x, t, 0, keys), dk));
        k.expect(() -> units(columns(x, t, keys, keys), dk));
        v.expect(() -> Expected.exact(columns(x, t, 2 * keys, heads * dv)));
        expectGates(heads, g, beta, a, b, aLog, dtBias);
        d.flops(6.0 * t * keys);
        d.call((ops, queue, s) ->
                ops.gdnPostConv(queue, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], EPS));
    }

    private static Expected units(double[] x, int width) {
        double[] y = new double[x.length];
        for (int r = 0; width > 0 && r < x.length / width; r++) {
            System.arraycopy(unit(x, r * width, width, EPS), 0, y, r * width, width);
        }
        return Expected.close(y, ROUNDINGS);
    }
}
