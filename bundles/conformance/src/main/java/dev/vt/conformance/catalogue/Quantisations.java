package dev.vt.conformance.catalogue;

import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Call;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.ScaleLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Quantisation to four and eight bits, alone and behind a gate, and the order of block scales. */
final class Quantisations {
    /** silu or sigmoid, and a product, before the rounding to bf16. */
    private static final double GATE_ROUNDINGS = 8;

    private static final int GROUP = 16;
    private static final float GLOBAL_SCALE = 300.25f;
    private static final String[] FULL = {
        "0x32", "3x0", "1x16", "127x48", "128x64", "129x80", "2x2048", "3x2064", "1x4096"
    };
    private static final Pattern[] PATTERNS = {
        Pattern.NAN_MIDDLE,
        Pattern.NAN_LAST,
        Pattern.INFINITE,
        Pattern.MINUS_INFINITE,
        Pattern.DENORMAL,
        Pattern.ZERO,
        Pattern.LARGE,
        Pattern.TIES
    };

    private Quantisations() {}

    static List<OpSpec> all() {
        return List.of(
                fp4(OpTable.SCALED_FP4_QUANT, Dtypes.FLOATS).makes(Quantisations::scaled),
                fp4(OpTable.SILU_MUL_FP4_QUANT, Dtypes.FLOATS).makes(Quantisations::siluMul),
                fp4(OpTable.SILU_AND_MUL_FP4_QUANT, Dtypes.FLOATS).makes(Quantisations::siluAndMul),
                fp4(OpTable.SIGMOID_GATE_FP4_QUANT, Dtypes.STORED).makes(Quantisations::sigmoidGate),
                OpSpec.of(OpTable.QUANT_FP8_STATIC, "MxK")
                        .dtypes(Dtypes.FLOATS)
                        .quick("1x64", "3x33", "5x256")
                        .full("0x8", "3x0", "1x1", "2x7", "4x127", "3x1021", "2x4099")
                        .patterns(PATTERNS)
                        .makes(Quantisations::fp8),
                OpSpec.of(OpTable.SWIZZLE_BLOCKSCALE, "RxG")
                        .dtypes(List.of(DType.I8))
                        .quick("1x1", "5x3", "130x6")
                        .full("0x4", "3x0", "127x4", "128x4", "129x5", "256x8", "300x257")
                        .makes(Quantisations::swizzle));
    }

    private static OpSpec.Builder fp4(Op<?> op, List<DType> dtypes) {
        return OpSpec.of(op, "MxK")
                .dtypes(dtypes)
                .variants("", "swizzled")
                .quick("1x64", "3x32", "5x272")
                .full(FULL)
                .patterns(PATTERNS);
    }

    /** The two outputs of a quantisation of m rows of k numbers; they are the first two operands. */
    private static void target(Draft d, int m, int k, IntFunction<Interval> x) {
        Operand packed = d.out("packed", DType.I8, m, k / 2);
        ScaleLayout layout = layout(d);
        Operand scale = d.out("scale", DType.I8, layout.rows(m), layout.groups(k / GROUP));
        packed.expect(() -> SmallFloatJudges.fp4Codes(intervals(m * k, x), GLOBAL_SCALE));
        scale.expect(() -> {
            Expected.Judge linear = SmallFloatJudges.fp4Scales(intervals(m * k, x), GLOBAL_SCALE);
            return Expected.judged(
                    layout == ScaleLayout.LINEAR ? linear : given -> unswizzled(given, m, k / GROUP, linear));
        });
    }

    private static @Nullable String unswizzled(byte[] given, int rows, int groups, Expected.Judge linear) {
        int[] order = SmallFloats.swizzledOrder(rows, groups);
        byte[] plain = new byte[rows * groups];
        for (int i = 0; i < given.length; i++) {
            if (order[i] >= 0) {
                plain[order[i]] = given[i];
            } else if (given[i] != 0) {
                return "byte " + i + ": expected padding of 0, got " + given[i];
            }
        }
        return linear.fault(plain);
    }

    private static Interval[] intervals(int n, IntFunction<Interval> x) {
        Interval[] all = new Interval[n];
        Arrays.setAll(all, x);
        return all;
    }

    private static ScaleLayout layout(Draft d) {
        return d.variant() == 0 ? ScaleLayout.LINEAR : ScaleLayout.SWIZZLED;
    }

    private static void scaled(Draft d) {
        int m = d.dim(0);
        int k = d.dim(1);
        Operand[] x = new Operand[1];
        target(d, m, k, i -> Interval.exact(x[0].values()[i]));
        x[0] = d.data("x", d.dtype(), m, k);
        call(d, m, k, (ops, q, t) -> ops.scaledFp4Quant(q, t[0], t[1], t[2], GLOBAL_SCALE, layout(d)));
    }

    private static void siluMul(Draft d) {
        int m = d.dim(0);
        int k = d.dim(1);
        Operand[] x = new Operand[2];
        target(d, m, k, i -> siluTimes(x[0].values()[i], x[1].values()[i]));
        x[0] = d.data("gate", d.dtype(), m, k);
        x[1] = d.normal("up", d.dtype(), m, k);
        call(d, m, k, (ops, q, t) -> ops.siluMulFp4Quant(q, t[0], t[1], t[2], t[3], GLOBAL_SCALE, layout(d)));
    }

    private static void siluAndMul(Draft d) {
        int m = d.dim(0);
        int k = d.dim(1);
        Operand[] x = new Operand[1];
        target(d, m, k, i -> {
            int gate = i / k * 2 * k + i % k;
            return siluTimes(x[0].values()[gate], x[0].values()[gate + k]);
        });
        x[0] = d.data("x", d.dtype(), m, 2L * k);
        call(d, m, k, (ops, q, t) -> ops.siluAndMulFp4Quant(q, t[0], t[1], t[2], GLOBAL_SCALE, layout(d)));
    }

    private static Interval siluTimes(double gate, double up) {
        return Interval.around(gate / (1 + Math.exp(-gate)) * up, GATE_ROUNDINGS)
                .bf16();
    }

    private static void sigmoidGate(Draft d) {
        int m = d.dim(0);
        int k = d.dim(1);
        Operand[] x = new Operand[2];
        target(d, m, k, i -> {
            double product = x[0].values()[i] / (1 + Math.exp(-x[1].values()[i]));
            return Interval.around(product, GATE_ROUNDINGS).bf16();
        });
        x[0] = d.data("attn", d.dtype(), m, k);
        x[1] = d.normal("gate", DType.F32, m, k);
        call(d, m, k, (ops, q, t) -> ops.sigmoidGateFp4Quant(q, t[0], t[1], t[2], t[3], GLOBAL_SCALE, layout(d)));
    }

    private static void call(Draft d, int m, int k, Call call) {
        d.flops(4.0 * m * k);
        d.call(call);
    }

    private static void fp8(Draft d) {
        int m = d.dim(0);
        int k = d.dim(1);
        float scale = 0.0123f;
        Operand out = d.out("out", DType.I8, m, k);
        Operand x = d.data("x", d.dtype(), m, k);
        // A quotient, or a product with the inverse.
        out.expect(() -> SmallFloatJudges.fp8(intervals(m * k, i -> Interval.around(x.values()[i] / scale, 3))));
        d.flops(2.0 * m * k);
        d.call((ops, q, t) -> ops.quantFp8Static(q, t[0], t[1], scale));
    }

    private static void swizzle(Draft d) {
        int rows = d.dim(0);
        int groups = d.dim(1);
        byte[] scales = SmallFloats.codes(d.random(), rows * groups);
        Operand out = d.out("out", DType.I8, ScaleLayout.SWIZZLED.rows(rows), ScaleLayout.SWIZZLED.groups(groups));
        d.bytes("scale", DType.I8, scales, rows, groups);
        out.expect(() -> Expected.bytes(SmallFloats.swizzled(scales, rows, groups)));
        d.call((ops, q, t) -> ops.swizzleBlockscale(q, t[0], t[1]));
    }
}
