package dev.vt.conformance.catalogue;

import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Call;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.Floats;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.MatmulFp8;
import java.util.List;

/** Products of matrices with four and eight bits an element. */
final class QuantProducts {
    private static final List<DType> BYTES = List.of(DType.I8);
    private static final float SCALE2 = 0.37f;
    private static final float ALPHA = -0.0173f;

    /**
     * Matrix units add up to 32 products of fp8 in fixed point, each cut off some 13 bits below the largest. Seen on Hopper: up to
     * 2^-11.6 of the magnitude. The bound is 2^-10, in roundings to f32.
     */
    private static final double MATRIX_UNITS = 1 << 14;

    private QuantProducts() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.MATMUL_NVFP4, "MxKxN")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "other out")
                        .quick("1x64x32", "3x32x7", "17x96x65")
                        .full("0x16x5", "3x0x5", "3x16x0", "1x16x1", "7x128x15", "8x256x33", "65x48x3", "2x2048x5")
                        .patterns(
                                Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO)
                        .makes(QuantProducts::weights),
                fp4(OpTable.MATMUL_NVFP4_FP4)
                        .variants("", "bf16")
                        .quick("1x64x32", "3x32x7", "17x96x65")
                        .full("0x16x5", "3x0x5", "3x16x0", "1x16x1", "65x48x3", "129x80x17", "2x2048x5")
                        .makes(QuantProducts::linear),
                fp4(OpTable.MATMUL_NVFP4_CUTLASS)
                        .variants("", "device-alpha")
                        .quick("1x64x32", "3x32x64", "17x96x160")
                        .full("0x32x32", "3x0x32", "3x32x0", "129x160x32", "2x2048x32")
                        .makes(QuantProducts::swizzled),
                fp8(OpTable.MATMUL_FP8_CUTLASS)
                        .makes(d -> fp8(d, (ops, q, t) -> ops.matmulFp8Cutlass(q, t[0], t[1], t[2], ALPHA))),
                fp8(OpTable.MATMUL_FP8_CUBLASLT)
                        .makes(d -> fp8(d, (ops, q, t) -> ops.matmulFp8Cublaslt(q, t[0], t[1], t[2], ALPHA))));
    }

    private static OpSpec.Builder fp4(Op<?> op) {
        return OpSpec.of(op, "MxKxN")
                .dtypes(BYTES)
                .patterns(Pattern.NAN_MIDDLE, Pattern.DENORMAL, Pattern.ZERO, Pattern.LARGE);
    }

    private static OpSpec.Builder fp8(Op<MatmulFp8> op) {
        return OpSpec.of(op, "MxKxN")
                .dtypes(BYTES)
                .variants("", "bf16")
                .quick("1x64x32", "3x32x16", "17x96x80")
                .full("0x16x16", "3x0x16", "3x16x0", "1x16x16", "65x48x32", "129x80x16", "2x4096x16")
                .patterns(Pattern.NAN_MIDDLE, Pattern.DENORMAL, Pattern.ZERO, Pattern.LARGE);
    }

    private static void weights(Draft d) {
        int m = d.dim(0);
        int k = d.dim(1);
        int n = d.dim(2);
        Operand out = d.out("out", d.variant() == 0 ? d.stored() : d.otherStored(), m, n);
        Operand act = d.data("act", d.dtype(), m, k);
        byte[] codes = SmallFloats.codes(d.random(), n * k / 2);
        byte[] scales = SmallFloats.scales(d.random(), Pattern.NORMAL, n, k / 16);
        d.bytes("packed", DType.I8, codes, n, k / 2);
        d.bytes("scale", DType.I8, scales, n, k / 16);
        out.expect(() -> Sums.products(
                m, n, k, act.values(), bf16Weights(codes, scales), (r, i) -> r * k + i, (c, i) -> c * k + i));
        d.flops(2.0 * m * k * n);
        d.call((ops, q, t) -> ops.matmulNvfp4(q, t[0], t[1], t[2], t[3], SCALE2));
    }

    /** A code times its block's scale is exact; times the tensor's scale it is rounded to f32, then to bf16. */
    private static double[] bf16Weights(byte[] codes, byte[] scales) {
        double[] w = SmallFloats.nvfp4(codes, scales);
        for (int i = 0; i < w.length; i++) {
            w[i] = Floats.rounded(DType.BF16, (float) (w[i] * SCALE2));
        }
        return w;
    }

    private static void linear(Draft d) {
        int m = d.dim(0);
        int n = d.dim(2);
        Operand out = d.out("out", d.variant() == 0 ? DType.F32 : DType.BF16, m, n);
        both(d, out, false, ALPHA);
        d.call((ops, q, t) -> ops.matmulNvfp4Fp4(q, t[0], t[1], t[2], t[3], t[4], ALPHA));
    }

    private static void swizzled(Draft d) {
        Operand out = d.out("out", DType.BF16, d.dim(0), d.dim(2));
        boolean onDevice = d.variant() == 1;
        float other = 0.031f;
        both(d, out, true, onDevice ? other : ALPHA);
        if (onDevice) {
            d.of("deviceAlpha", DType.F32, new double[] {other}, 1);
        }
        d.call((ops, q, t) -> ops.matmulNvfp4Cutlass(q, t[0], t[1], t[2], t[3], t[4], ALPHA, onDevice ? t[5] : null));
    }

    private static void both(Draft d, Operand out, boolean swizzled, float alpha) {
        int m = d.dim(0);
        int k = d.dim(1);
        int n = d.dim(2);
        byte[] a = codes(d, m * k / 2);
        byte[] aScale = SmallFloats.scales(d.random(), d.pattern(), m, k / 16);
        byte[] b = SmallFloats.codes(d.random(), n * k / 2);
        byte[] bScale = SmallFloats.scales(d.random(), Pattern.NORMAL, n, k / 16);
        d.bytes("a", DType.I8, a, m, k / 2);
        scales(d, "aScale", aScale, m, k / 16, swizzled);
        d.bytes("b", DType.I8, b, n, k / 2);
        scales(d, "bScale", bScale, n, k / 16, swizzled);
        out.expect(() -> Sums.products(
                m,
                n,
                k,
                times(SmallFloats.nvfp4(a, aScale), alpha),
                SmallFloats.nvfp4(b, bScale),
                (r, i) -> r * k + i,
                (c, i) -> c * k + i));
        d.flops(2.0 * m * k * n);
    }

    private static byte[] codes(Draft d, int count) {
        return d.pattern() == Pattern.ZERO ? new byte[count] : SmallFloats.codes(d.random(), count);
    }

    private static void scales(Draft d, String name, byte[] scales, int rows, int groups, boolean swizzled) {
        if (!swizzled) {
            d.bytes(name, DType.I8, scales, rows, groups);
            return;
        }
        byte[] bytes = SmallFloats.swizzled(scales, rows, groups);
        int across = (groups + 3) / 4 * 4;
        d.bytes(name, DType.I8, bytes, across == 0 ? (rows + 127) / 128 * 128 : bytes.length / across, across);
    }

    private static void fp8(Draft d, Call call) {
        int m = d.dim(0);
        int k = d.dim(1);
        int n = d.dim(2);
        Operand out = d.out("out", d.variant() == 0 ? DType.F32 : DType.BF16, m, n);
        byte[] a = SmallFloats.values(d.random(), d.pattern(), m, k);
        byte[] b = SmallFloats.values(d.random(), Pattern.NORMAL, n, k);
        d.bytes("a", DType.I8, a, m, k);
        d.bytes("b", DType.I8, b, n, k);
        out.expect(() -> Sums.products(
                m,
                n,
                k,
                times(SmallFloats.fp8(a), ALPHA),
                SmallFloats.fp8(b),
                (r, i) -> r * k + i,
                (c, i) -> c * k + i,
                Expected.sumOf(k) + MATRIX_UNITS));
        d.flops(2.0 * m * k * n);
        d.call(call);
    }

    /** The factor goes to one side, so that sums and the sizes of their terms have it. */
    private static double[] times(double[] values, float alpha) {
        double[] out = values.clone();
        for (int i = 0; i < out.length; i++) {
            out[i] *= alpha;
        }
        return out;
    }
}
