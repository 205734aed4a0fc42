package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.Floats;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Chain;
import dev.vt.ops.kernel.FusedStep;
import dev.vt.ops.kernel.FusedStep.Form;
import dev.vt.ops.kernel.StepCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Several ops in one: chains of steps on a row, normalisation followed by quantisation. */
final class FusedOps {
    /** A sum of squares, a root, a division and two products. */
    private static final double NORM = 16;

    /** The same, an exponential, and two products more. */
    private static final double GATED_NORM = 32;

    private static final float EPS = 1e-5f;
    private static final float SCALE = 0.0123f;
    private static final String[] FULL = {"0x8", "1x1", "2x7", "4x127", "4x128", "4x129", "3x1021", "2x4096"};
    private static final Pattern[] PATTERNS = {
        Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO
    };

    private FusedOps() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.FUSED_CHAIN, "TxH")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "gemma", "norm", "silu-mul", "gates")
                        .quick("1x64", "3x33", "5x256")
                        .full(FULL)
                        .patterns(PATTERNS)
                        .makes(FusedOps::chain),
                OpSpec.of(OpTable.RMS_NORM_QUANT_FP8, "TxH")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "copy", "gemma copy residual")
                        .quick("1x64", "3x33", "5x256")
                        .full(FULL)
                        .patterns(PATTERNS)
                        .makes(FusedOps::rms),
                OpSpec.of(OpTable.RMS_NORM_GATED_QUANT_FP8, "TxHxD")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "sigmoid", "rows")
                        .quick("1x1x64", "3x2x33", "5x4x128")
                        .full("0x2x8", "1x1x1", "2x3x7", "4x1x127", "3x5x1021", "2x2x4096")
                        .patterns(PATTERNS)
                        .makes(FusedOps::gated));
    }

    private static Chain chain(FusedStep... steps) {
        return new Chain(List.of(steps), List.of(DType.F32));
    }

    private static void chain(Draft d) {
        switch (d.variant()) {
            case 0, 1 -> addNorm(d, d.variant() == 1);
            case 2 -> {
                Chain norm = chain(FusedStep.rmsNorm(Form.PLAIN, Chain.OUT, Chain.X, Chain.WEIGHT));
                rows(d, norm, NORM, (x, w, i, row) -> x[i] * inverse(x, row, w.length) * w[i % w.length]);
            }
            case 3 -> {
                Chain siluMul = chain(FusedStep.of(StepCode.SILU_MUL, Chain.OUT, Chain.X, Chain.WEIGHT));
                rows(d, siluMul, 8, (x, w, i, row) -> x[i] / (1 + Math.exp(-x[i])) * w[i % w.length]);
            }
            default -> {
                Chain gates = chain(
                        FusedStep.of(StepCode.SIGMOID, Chain.TEMPORARY, Chain.WEIGHT),
                        FusedStep.of(StepCode.MUL, Chain.TEMPORARY, Chain.TEMPORARY, Chain.X),
                        FusedStep.of(StepCode.SIGMOID_GATE, Chain.OUT, Chain.TEMPORARY, Chain.WEIGHT));
                rows(d, gates, 16, (x, w, i, row) -> x[i] / Math.pow(1 + Math.exp(-w[i % w.length]), 2));
            }
        }
    }

    @FunctionalInterface
    private interface Cell {
        double of(double[] x, double[] w, int i, int row);
    }

    /** A chain of x and a weight. */
    private static void rows(Draft d, Chain chain, double roundings, Cell cell) {
        int t = d.dim(0);
        int h = d.dim(1);
        Operand out = d.out("out", d.stored(), t, h);
        Operand x = d.data("x", d.dtype(), t, h);
        Operand w = d.uniform("weight", 0.5, 1.5, d.dtype(), h);
        out.expect(() -> {
            double[] y = new double[t * h];
            for (int i = 0; i < y.length; i++) {
                y[i] = cell.of(x.values(), w.values(), i, i / h);
            }
            return Expected.close(y, roundings);
        });
        d.flops(4.0 * t * h);
        d.call((ops, q, ts) -> ops.fusedChain(q, ts[0], ts[1], ts[2], null, chain, EPS));
    }

    private static double inverse(double[] x, int row, int h) {
        double squares = 0;
        for (int i = row * h; i < (row + 1) * h; i++) {
            squares += x[i] * x[i];
        }
        return 1 / Math.sqrt(squares / h + EPS);
    }

    private static void addNorm(Draft d, boolean gemma) {
        int t = d.dim(0);
        int h = d.dim(1);
        Chain chain = chain(
                FusedStep.of(StepCode.ADD, Chain.RESIDUAL, Chain.RESIDUAL, Chain.X),
                FusedStep.rmsNorm(gemma ? Form.GEMMA : Form.PLAIN, Chain.OUT, Chain.RESIDUAL, Chain.WEIGHT));
        Operand out = d.out("out", d.stored(), t, h);
        Operand x = d.data("x", d.dtype(), t, h);
        Operand w = d.uniform("weight", 0.5, 1.5, d.dtype(), h);
        Operand residual = d.normal("residual", d.stored(), t, h);
        double[] sum = sum(x, residual);
        residual.expect(() -> Expected.exact(sum));
        out.expect(() -> Expected.close(norm(sum, w, t, gemma), NORM));
        d.flops(5.0 * t * h);
        d.call((ops, q, ts) -> ops.fusedChain(q, ts[0], ts[1], ts[2], ts[3], chain, EPS));
    }

    /** The sum is rounded to what the residual is stored in, and that is normalised. */
    private static double[] sum(Operand x, @Nullable Operand residual) {
        double[] sum = x.values().clone();
        for (int i = 0; residual != null && i < sum.length; i++) {
            sum[i] = Floats.rounded(residual.dtype(), (float) (sum[i] + residual.values()[i]));
        }
        return sum;
    }

    private static double[] norm(double[] x, Operand weight, int rows, boolean gemma) {
        double[] w = weight.values();
        double[] y = new double[x.length];
        for (int r = 0; r < rows; r++) {
            double inverse = inverse(x, r, w.length);
            for (int i = 0; i < w.length; i++) {
                y[r * w.length + i] = x[r * w.length + i] * inverse * (gemma ? 1 + w[i] : w[i]);
            }
        }
        return y;
    }

    /** e4m3 of numbers that were rounded to bf16 and divided. */
    private static Expected quantised(double[] values, double roundings) {
        Interval[] x = new Interval[values.length];
        for (int i = 0; i < x.length; i++) {
            x[i] = Interval.around(values[i], roundings)
                    .bf16()
                    .times(1 / (double) SCALE)
                    .wider(3);
        }
        return SmallFloatJudges.fp8(x);
    }

    private static void rms(Draft d) {
        int t = d.dim(0);
        int h = d.dim(1);
        boolean gemma = d.variant() == 2;
        Operand out = d.out("out", DType.I8, t, h);
        Operand x = d.data("x", d.dtype(), t, h);
        Operand w = d.uniform("weight", 0.5, 1.5, d.dtype(), h);
        Operand copy = d.variant() > 0 ? d.out("copy", DType.BF16, t, h) : null;
        Operand residual = gemma ? d.normal("residual", d.stored(), t, h) : null;
        double[] sum = sum(x, residual);
        if (residual != null) {
            residual.expect(() -> Expected.exact(sum));
        }
        if (copy != null) {
            copy.expect(() -> Expected.close(norm(sum, w, t, gemma), NORM));
        }
        out.expect(() -> quantised(norm(sum, w, t, gemma), NORM));
        d.flops(6.0 * t * h);
        d.call((ops, q, ts) -> ops.rmsNormQuantFp8(
                q, ts[0], ts.length > 3 ? ts[3] : null, ts[1], ts[2], ts.length > 4 ? ts[4] : null, EPS, gemma, SCALE));
    }

    private static void gated(Draft d) {
        int width = d.dim(2);
        long[] shape = d.variant() == 2 ? new long[] {(long) d.dim(0) * d.dim(1), width} : d.dims();
        int rows = d.dim(0) * d.dim(1);
        boolean sigmoid = d.variant() == 1;
        Operand out = d.out("out", DType.I8, shape);
        Operand x = d.data("x", d.dtype(), shape);
        Operand gate = d.normal("gate", d.dtype(), shape).mayPad();
        Operand w = d.uniform("weight", 0.5, 1.5, d.dtype(), width);
        out.expect(() -> {
            double[] y = norm(x.values(), w, rows, false);
            for (int i = 0; i < y.length; i++) {
                double z = gate.values()[i];
                y[i] *= (sigmoid ? 1 : z) / (1 + Math.exp(-z));
            }
            return quantised(y, GATED_NORM);
        });
        d.flops(10.0 * rows * width);
        d.call((ops, q, ts) -> ops.rmsNormGatedQuantFp8(q, ts[0], ts[1], ts[2], ts[3], EPS, sigmoid, SCALE));
    }
}
