package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Ops that make each element from one or two: {@code silu_and_mul}, {@code gelu_and_mul}, {@code relu}, {@code add}, {@code
 * mul_scalar}, {@code soft_cap}.
 */
final class Elementwise {
    private static final String[] FULL = {
        "0x8", "4x0", "1x1", "2x7", "3x255", "4x256", "3x257", "1x1021", "2x4096", "1x32771"
    };
    private static final Pattern[] PATTERNS = {
        Pattern.NAN_MIDDLE,
        Pattern.NAN_FIRST,
        Pattern.NAN_LAST,
        Pattern.INFINITE,
        Pattern.MINUS_INFINITE,
        Pattern.DENORMAL,
        Pattern.ZERO,
        Pattern.LARGE
    };

    /** An exponential that may be off by a few units, a sum, a quotient, a product. */
    private static final double ACTIVATION = 16;

    /** A hyperbolic tangent that may be off by a few units, between a quotient and a product. */
    private static final double TANH = 12;

    /** The scalar rounded to f32, then the product. */
    private static final double SCALED = 3;

    private static final int RELU_IN_PLACE = 2;
    private static final int RELU_RANK_1 = 3;
    private static final int ADD_OTHER_TYPES = 1;
    private static final int ADD_IN_PLACE = 2;
    private static final int ADD_ROW = 3;
    private static final int ADD_ROW_IN_PLACE = 4;

    private Elementwise() {}

    static List<OpSpec> all() {
        return List.of(
                spec(OpSpec.of(OpTable.SILU_AND_MUL, "TxD").variants("", "other out"))
                        .makes(d -> gated(d, Elementwise::silu, x -> 0)),
                spec(OpSpec.of(OpTable.GELU_AND_MUL, "TxD").variants("", "other out"))
                        .makes(d -> gated(d, Elementwise::gelu, Math::abs)),
                spec(OpSpec.of(OpTable.RELU, "TxD").variants("", "other out", "in place", "rank 1", "rank 4"))
                        .except(p -> p.variant() == RELU_IN_PLACE && p.dtype() == DType.F16)
                        .makes(Elementwise::relu),
                spec(OpSpec.of(OpTable.ADD, "TxD").variants("", "other types", "in place", "row", "row in place"))
                        .except(p -> p.dtype() == DType.F16
                                && (p.variant() == ADD_IN_PLACE || p.variant() == ADD_ROW_IN_PLACE))
                        .makes(Elementwise::add),
                spec(OpSpec.of(OpTable.MUL_SCALAR, "TxD").variants("", "other out", "rank 3"))
                        .makes(Elementwise::mulScalar),
                spec(OpSpec.of(OpTable.SOFT_CAP, "TxD").variants("", "other out", "rank 3"))
                        .makes(Elementwise::softCap));
    }

    private static OpSpec.Builder spec(OpSpec.Builder builder) {
        return builder.dtypes(Dtypes.FLOATS)
                .quickVariants(1)
                .quick("1x64", "3x33", "2x301")
                .full(FULL)
                .patterns(PATTERNS);
    }

    private static double silu(double x) {
        return x / (1 + Math.exp(-x));
    }

    private static double gelu(double x) {
        return x / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
    }

    /** {@code size} gives what an activation's own error goes with, where it cancels. */
    private static void gated(Draft d, DoubleUnaryOperator activation, DoubleUnaryOperator size) {
        int t = d.dim(0);
        int n = d.dim(1);
        Operand out = d.out("out", d.variant() == 1 ? d.otherStored() : d.stored(), t, n);
        Operand x = d.data("x", d.dtype(), t, 2L * n);
        out.expect(() -> {
            double[] v = x.values();
            double[] y = new double[t * n];
            double[] sizes = new double[t * n];
            for (int i = 0; i < y.length; i++) {
                int gate = i / n * 2 * n + i % n;
                y[i] = activation.applyAsDouble(v[gate]) * v[gate + n];
                sizes[i] = size.applyAsDouble(v[gate]) * Math.abs(v[gate + n]);
            }
            return Expected.close(y, sizes, ACTIVATION);
        });
        d.flops(8.0 * t * n);
        boolean silu = d.op().equals(OpTable.SILU_AND_MUL);
        d.call((ops, q, ts) -> {
            if (silu) {
                ops.siluAndMul(q, ts[0], ts[1]);
            } else {
                ops.geluAndMul(q, ts[0], ts[1]);
            }
        });
    }

    /** The largest of two is one of them, so nothing is rounded but on store. */
    private static void relu(Draft d) {
        long[] shape = switch (d.variant()) {
            case RELU_RANK_1 -> new long[] {(long) d.dim(0) * d.dim(1)};
            case RELU_RANK_1 + 1 -> new long[] {1, d.dim(0), 1, d.dim(1)};
            default -> d.dims();
        };
        boolean inPlace = d.variant() == RELU_IN_PLACE;
        Operand out = inPlace
                ? d.data("x", d.dtype(), shape)
                : d.out("out", d.variant() == 1 ? d.otherStored() : d.stored(), shape);
        Operand x = inPlace ? out : d.data("x", d.dtype(), shape);
        out.expect(() -> Expected.close(mapped(x.values(), v -> Math.max(v, 0)), 0));
        d.call((ops, q, t) -> ops.relu(q, t[0], t[t.length - 1]));
    }

    private static void add(Draft d) {
        int n = d.dim(1);
        boolean inPlace = d.variant() == ADD_IN_PLACE || d.variant() == ADD_ROW_IN_PLACE;
        boolean row = d.variant() == ADD_ROW || d.variant() == ADD_ROW_IN_PLACE;
        boolean other = d.variant() == ADD_OTHER_TYPES;
        Operand out = inPlace
                ? d.data("a", d.dtype(), d.dims())
                : d.out("out", other ? d.otherStored() : d.stored(), d.dims());
        Operand a = inPlace ? out : d.data("a", d.dtype(), d.dims());
        long[] shape = row ? new long[] {n} : d.dims();
        Operand b = d.normal("b", other ? d.otherStored() : d.dtype(), shape);
        out.expect(() -> {
            double[] y = a.values().clone();
            for (int i = 0; i < y.length; i++) {
                y[i] += b.values()[row ? i % n : i];
            }
            return Expected.close(y, 1);
        });
        d.flops((double) d.dim(0) * n);
        d.call((ops, q, t) -> ops.add(q, t[0], t[t.length - 2], t[t.length - 1]));
    }

    private static void mulScalar(Draft d) {
        Operand out = mapped(d);
        Operand x = d.data("x", d.dtype(), out.shape());
        // Not a number of f32.
        double factor = -1.7 / 3;
        out.expect(() -> Expected.close(mapped(x.values(), v -> v * factor), SCALED));
        d.flops((double) d.dim(0) * d.dim(1));
        d.call((ops, q, t) -> ops.mulScalar(q, t[0], t[1], factor));
    }

    private static void softCap(Draft d) {
        Operand out = mapped(d);
        Operand x = d.data("x", d.dtype(), out.shape());
        double cap = 2.5;
        out.expect(() -> Expected.close(mapped(x.values(), v -> cap * Math.tanh(v / cap)), TANH));
        d.flops(10.0 * d.dim(0) * d.dim(1));
        d.call((ops, q, t) -> ops.softCap(q, t[0], t[1], cap));
    }

    private static Operand mapped(Draft d) {
        long[] shape = d.variant() == 2 ? new long[] {d.dim(0), 1, d.dim(1)} : d.dims();
        return d.out("out", d.variant() == 1 ? d.otherStored() : d.stored(), shape);
    }

    private static double[] mapped(double[] values, DoubleUnaryOperator f) {
        double[] y = new double[values.length];
        for (int i = 0; i < y.length; i++) {
            y[i] = f.applyAsDouble(values[i]);
        }
        return y;
    }
}
