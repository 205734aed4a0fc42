package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The steps around gated attention: {@code attn_gate_split}, {@code sigmoid_gate_bf16}, {@code attn_qk_norm_rope_gate}; and
 * {@code mul_col_vec_f32}.
 */
final class GatedAttention {
    /** An exponential, a sum, a division and a product. */
    private static final double GATE_ROUNDINGS = 6;

    /** A norm as in {@code rms_norm}, then two products and a sum. */
    private static final double NORM_ROUNDINGS = 20;

    private GatedAttention() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.MUL_COL_VEC_F32, "MxN")
                        .variants("", "pattern-in-col")
                        .quick("1x64", "3x33", "5x256")
                        .full("0x8", "4x0", "1x1", "7x2047", "3x2048", "2x2049", "1021x3")
                        .patterns(
                                Pattern.NAN_MIDDLE,
                                Pattern.NAN_LAST,
                                Pattern.INFINITE,
                                Pattern.MINUS_INFINITE,
                                Pattern.DENORMAL,
                                Pattern.ZERO,
                                Pattern.LARGE)
                        .makes(GatedAttention::mulColVec),
                OpSpec.of(OpTable.ATTN_GATE_SPLIT, "TxHxD")
                        .dtypes(Dtypes.FLOATS)
                        .quick("1x2x8", "3x5x33", "4x4x64")
                        .full("0x4x8", "3x0x8", "3x2x0", "1x1x1", "7x3x127", "5x16x128", "2x3x1021", "1x2x2049")
                        .patterns(Pattern.NAN_FIRST, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.ZERO)
                        .makes(GatedAttention::split),
                OpSpec.of(OpTable.SIGMOID_GATE_BF16, "TxHxD")
                        .dtypes(Dtypes.STORED)
                        .variants("", "pattern-in-gate")
                        .quick("1x2x8", "3x5x33", "4x4x64")
                        .full("0x4x8", "3x0x8", "1x1x1", "7x3x127", "5x16x128", "2x3x1021", "1x2x2049")
                        .patterns(
                                Pattern.NAN_MIDDLE,
                                Pattern.NAN_LAST,
                                Pattern.INFINITE,
                                Pattern.MINUS_INFINITE,
                                Pattern.DENORMAL,
                                Pattern.ZERO,
                                Pattern.LARGE)
                        .makes(GatedAttention::sigmoidGate),
                OpSpec.of(OpTable.ATTN_QK_NORM_ROPE_GATE, "TxHqxHkxDxR")
                        .dtypes(Dtypes.FLOATS)
                        .quick("1x2x1x8x8", "3x5x2x34x6", "4x4x2x64x32")
                        .full(
                                "0x4x2x8x4",
                                "3x0x2x8x4",
                                "3x2x0x8x4",
                                "1x1x1x2x2",
                                "7x3x3x127x126",
                                "5x16x2x128x32",
                                "3x8x2x256x64",
                                "2x2x1x1021x2")
                        .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.ZERO)
                        .makes(GatedAttention::normRope));
    }

    private static void mulColVec(Draft d) {
        int m = d.dim(0);
        int n = d.dim(1);
        boolean inCol = d.variant() == 1;
        Operand x = inCol ? d.normal("x", DType.F32, m, n) : d.data("x", DType.F32, m, n);
        Operand col = inCol ? d.data("col", DType.F32, n) : d.normal("col", DType.F32, n);
        x.expect(() -> {
            double[] y = new double[m * n];
            for (int i = 0; i < y.length; i++) {
                y[i] = x.values()[i] * col.values()[i % n];
            }
            return Expected.close(y, 1);
        });
        d.flops((double) m * n);
        d.call((ops, q, t) -> ops.mulColVecF32(q, t[0], t[1]));
    }

    private static void split(Draft d) {
        int t = d.dim(0);
        int heads = d.dim(1);
        int width = d.dim(2);
        Operand q = d.out("q", DType.F32, t, heads, width);
        Operand gate = d.out("gate", DType.F32, t, heads, width);
        Operand merged = d.data("qGate", d.dtype(), t, 2L * heads * width);
        q.expect(() -> Expected.exact(part(merged, t * heads, width, 0)));
        gate.expect(() -> Expected.exact(part(merged, t * heads, width, width)));
        d.call((ops, queue, ts) -> ops.attnGateSplit(queue, ts[0], ts[1], ts[2]));
    }

    /** One of the two halves of every head. */
    private static double[] part(Operand merged, int heads, int width, int from) {
        double[] out = new double[heads * width];
        for (int i = 0; i < out.length; i++) {
            out[i] = merged.values()[i / width * 2 * width + from + i % width];
        }
        return out;
    }

    private static void sigmoidGate(Draft d) {
        long[] shape = d.dims();
        boolean inGate = d.variant() == 1;
        Operand out = d.out("out", DType.BF16, shape);
        Operand attn = inGate ? d.normal("attn", d.dtype(), shape) : d.data("attn", d.dtype(), shape);
        Operand gate = inGate ? d.data("gate", DType.F32, shape) : d.normal("gate", DType.F32, shape);
        out.expect(() -> {
            double[] y = new double[attn.values().length];
            for (int i = 0; i < y.length; i++) {
                y[i] = attn.values()[i] * (1 / (1 + Math.exp(-gate.values()[i])));
            }
            return Expected.close(y, GATE_ROUNDINGS);
        });
        d.call((ops, q, t) -> ops.sigmoidGateBf16(q, t[0], t[1], t[2]));
    }

    private static void normRope(Draft d) {
        int t = d.dim(0);
        int heads = d.dim(1);
        int keyHeads = d.dim(2);
        int width = d.dim(3);
        int rotary = d.dim(4);
        Operand q = d.out("qOut", DType.F32, t, heads, width);
        Operand k = d.out("kOut", DType.F32, t, keyHeads, width);
        Operand gate = d.out("gateOut", DType.F32, t, heads, width);
        Operand merged = d.data("qGate", d.dtype(), t, 2L * heads * width);
        Operand keys = d.data("k", d.dtype(), t, (long) keyHeads * width);
        Operand qNorm = d.uniform("qNorm", -0.5, 0.5, d.dtype(), width);
        Operand kNorm = d.uniform("kNorm", -0.5, 0.5, d.dtype(), width);
        Operand angles = d.uniform("cosSin", -1, 1, DType.F32, t, rotary);
        float eps = 1e-6f;
        q.expect(() -> normRope(merged.values(), r -> r * 2 * width, t, heads, qNorm, angles, eps));
        k.expect(() -> normRope(keys.values(), r -> r * width, t, keyHeads, kNorm, angles, eps));
        gate.expect(() -> Expected.exact(part(merged, t * heads, width, width)));
        d.call((ops, queue, ts) ->
                ops.attnQkNormRopeGate(queue, ts[0], ts[1], ts[2], ts[3], ts[4], ts[5], ts[6], ts[7], eps));
    }

    /** Each head normalised with 1 + weight, then its first pairs rotated by the angles of its token. */
    private static Expected normRope(
            double[] x, IntUnaryOperator head, int t, int heads, Operand weight, Operand angles, double eps) {
        int width = (int) weight.shape()[0];
        int half = (int) angles.shape()[1] / 2;
        double[] y = new double[t * heads * width];
        double[] sizes = new double[t * heads * width];
        for (int r = 0; r < t * heads; r++) {
            int from = head.applyAsInt(r);
            double squares = 0;
            for (int i = 0; i < width; i++) {
                squares += x[from + i] * x[from + i];
            }
            double[] normed = new double[width];
            for (int i = 0; i < width; i++) {
                normed[i] = x[from + i] / Math.sqrt(squares / width + eps) * (1 + weight.values()[i]);
            }
            int row = r / heads * 2 * half;
            for (int i = 0; i < width; i++) {
                int pair = i % Math.max(1, half);
                boolean turned = i < 2 * half;
                double cos = turned ? angles.values()[row + pair] : 1;
                double sin = turned ? angles.values()[row + half + pair] : 0;
                double other = turned ? normed[i < half ? i + half : i - half] : 0;
                y[r * width + i] = normed[i] * cos + (i < half ? -other : other) * sin;
                sizes[r * width + i] = Math.abs(normed[i] * cos) + Math.abs(other * sin);
            }
        }
        return Expected.close(y, sizes, NORM_ROUNDINGS);
    }
}
