package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.List;

/** Normalisation of heads and rows: {@code l2_norm}, {@code rms_norm_gated}. */
final class GatedNorms {
    private static final String[] FULL = {
        "0x8", "3x1", "1x1", "2x7", "4x127", "4x128", "4x129", "3x1021", "2x4096", "67x64"
    };
    private static final Pattern[] PATTERNS = {
        Pattern.NAN_MIDDLE, Pattern.NAN_FIRST, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO
    };

    /** A sum of squares, a root, a division and a product, each rounded in any kernel. */
    private static final double ROUNDINGS = 16;

    /** With an exponential that may be off by a few units, a quotient and two products more. */
    private static final double GATED = 36;

    private static final int HEADS = 1;
    private static final int OTHER_OUT = 2;
    private static final int SIGMOID = 3;
    private static final int GATE = 4;

    private GatedNorms() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.L2_NORM, "TxD")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "rank 3", "other out")
                        .quick("1x64", "3x33", "5x256")
                        .full(FULL)
                        .patterns(PATTERNS)
                        .makes(GatedNorms::l2),
                OpSpec.of(OpTable.RMS_NORM_GATED, "TxD")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "rank 3", "other out", "sigmoid", "pattern in the gate")
                        .quick("1x64", "3x33", "5x256")
                        .full(FULL)
                        .patterns(PATTERNS)
                        .makes(GatedNorms::gated));
    }

    private static long[] shape(Draft d) {
        return d.variant() == HEADS ? new long[] {d.dim(0), 3, d.dim(1)} : d.dims();
    }

    private static DType outType(Draft d) {
        return d.variant() == OTHER_OUT ? d.otherStored() : d.stored();
    }

    /** Each row over the root of the sum, or the mean, of its squares and eps. */
    private static double[] normalised(double[] x, int width, boolean mean, double eps) {
        double[] y = x.clone();
        for (int r = 0; r < y.length; r += width) {
            double squares = 0;
            for (int i = r; i < r + width; i++) {
                squares += x[i] * x[i];
            }
            double root = Math.sqrt((mean ? squares / width : squares) + eps);
            for (int i = r; i < r + width; i++) {
                y[i] = x[i] / root;
            }
        }
        return y;
    }

    private static void l2(Draft d) {
        Operand out = d.out("out", outType(d), shape(d));
        Operand x = d.data("x", d.dtype(), shape(d));
        float eps = 1e-6f;
        out.expect(() -> Expected.close(normalised(x.values(), d.dim(1), false, eps), ROUNDINGS));
        d.flops(3.0 * x.values().length);
        d.call((ops, q, t) -> ops.l2Norm(q, t[0], t[1], eps));
    }

    private static void gated(Draft d) {
        int width = d.dim(1);
        boolean sigmoid = d.variant() == SIGMOID;
        boolean inGate = d.variant() == GATE;
        Operand out = d.out("out", outType(d), shape(d));
        Operand x = inGate ? d.normal("x", d.dtype(), shape(d)) : d.data("x", d.dtype(), shape(d));
        Operand gate = (inGate ? d.data("gate", d.dtype(), shape(d)) : d.normal("gate", d.dtype(), shape(d))).mayPad();
        Operand weight = d.uniform("weight", 0.5, 1.5, d.dtype(), width);
        float eps = 1e-5f;
        out.expect(() -> {
            double[] y = normalised(x.values(), width, true, eps);
            for (int i = 0; i < y.length; i++) {
                double z = gate.values()[i];
                y[i] *= weight.values()[i % width] * ((sigmoid ? 1 : z) / (1 + Math.exp(-z)));
            }
            return Expected.close(y, GATED);
        });
        d.flops(12.0 * x.values().length);
        d.call((ops, q, t) -> ops.rmsNormGated(q, t[0], t[1], t[2], t[3], eps, sigmoid));
    }
}
