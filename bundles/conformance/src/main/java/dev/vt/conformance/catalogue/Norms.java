package dev.vt.conformance.catalogue;

import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.Floats;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Normalisation of rows: {@code rms_norm}, {@code layer_norm}. */
final class Norms {
    /** Beside the sums: a root, a division, two products, and a sum, each rounded in any kernel. */
    private static final double ROUNDINGS = 16;

    private static final int NO_BIAS = 1;
    private static final int NO_WEIGHT = 2;
    private static final int NEITHER = 3;
    private static final int FAR = 4;
    private static final int OTHER_OUT = 5;
    private static final int RANK_1 = 6;
    private static final int RANK_4 = 7;

    private Norms() {}

    static List<OpSpec> all() {
        return List.of(rmsNorm(), layerNorm());
    }

    private static OpSpec rmsNorm() {
        return OpSpec.of(OpTable.RMS_NORM, "TxH")
                .dtypes(Dtypes.FLOATS)
                .variants("", "residual", "gemma")
                .quick("1x64", "3x33", "5x256")
                .full("0x8", "1x1", "2x7", "4x127", "4x128", "4x129", "3x1021", "2x4096")
                .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO)
                .makes(Norms::rms);
    }

    private static OpSpec layerNorm() {
        return OpSpec.of(OpTable.LAYER_NORM, "TxH")
                .dtypes(Dtypes.FLOATS)
                .variants("", "no bias", "no weight", "neither", "far from 0", "other out", "rank 1", "rank 4")
                .quickVariants(2)
                .quick("1x64", "3x33", "5x256")
                .full("0x8", "3x0", "1x1", "2x7", "4x127", "4x128", "4x129", "3x1021", "2x4096")
                .patterns(
                        Pattern.NAN_MIDDLE,
                        Pattern.NAN_FIRST,
                        Pattern.NAN_LAST,
                        Pattern.INFINITE,
                        Pattern.DENORMAL,
                        Pattern.ZERO)
                .makes(Norms::layer);
    }

    private static void rms(Draft d) {
        int t = d.dim(0);
        int h = d.dim(1);
        Operand out = d.out("out", d.stored(), t, h);
        Operand x = d.data("x", d.dtype(), t, h);
        Operand w = d.uniform("weight", 0.5, 1.5, d.dtype(), h);
        Operand residual = d.variant() == 1 ? d.normal("residual", d.stored(), t, h) : null;
        boolean gemma = d.variant() == 2;
        float eps = 1e-5f;
        double[] sum = x.values().clone();
        if (residual != null) {
            // The sum is rounded to what the residual is stored in, and that is normalised.
            for (int i = 0; i < sum.length; i++) {
                sum[i] = Floats.rounded(residual.dtype(), (float) (sum[i] + residual.values()[i]));
            }
            residual.expect(() -> Expected.exact(sum));
        }
        out.expect(() -> {
            double[] y = new double[t * h];
            for (int r = 0; r < t; r++) {
                double squares = 0;
                for (int i = 0; i < h; i++) {
                    squares += sum[r * h + i] * sum[r * h + i];
                }
                double inverse = 1 / Math.sqrt(squares / h + eps);
                for (int i = 0; i < h; i++) {
                    y[r * h + i] = sum[r * h + i] * inverse * (gemma ? 1 + w.values()[i] : w.values()[i]);
                }
            }
            // The root halves what the sum of squares is off by.
            return Expected.close(y, ROUNDINGS + Expected.sumOf(h) / 2);
        });
        d.flops(4.0 * t * h);
        d.call((ops, q, ts) -> ops.rmsNorm(q, ts[0], ts[1], ts[2], ts.length > 3 ? ts[3] : null, eps, gemma));
    }

    private static void layer(Draft d) {
        long[] shape = switch (d.variant()) {
            case RANK_1 -> new long[] {(long) d.dim(0) * d.dim(1)};
            case RANK_4 -> new long[] {1, d.dim(0), 1, d.dim(1)};
            default -> d.dims();
        };
        int n = (int) shape[shape.length - 1];
        Operand out = d.out("out", d.variant() == OTHER_OUT ? d.otherStored() : d.stored(), shape);
        // A mean that is large beside the deviations: a difference of two large sums would not do.
        Operand x = d.variant() == FAR ? d.uniform("x", 255, 257, d.dtype(), shape) : d.data("x", d.dtype(), shape);
        boolean weighted = d.variant() != NO_WEIGHT && d.variant() != NEITHER;
        boolean biased = d.variant() != NO_BIAS && d.variant() != NEITHER;
        Operand w = weighted ? d.uniform("weight", 0.5, 1.5, d.dtype(), n) : null;
        Operand b = biased ? d.normal("bias", d.dtype(), n) : null;
        float eps = 1e-5f;
        out.expect(() -> layer(x.values(), w == null ? null : w.values(), b == null ? null : b.values(), n, eps));
        d.flops(7.0 * d.dim(0) * d.dim(1));
        d.call((ops, q, t) ->
                ops.layerNorm(q, t[0], t[1], weighted ? t[2] : null, biased ? t[t.length - 1] : null, eps));
    }

    /** The error of a mean goes with the sizes of what it is of, and it is in each deviation. */
    private static Expected layer(double[] x, double @Nullable [] w, double @Nullable [] b, int n, float eps) {
        double[] y = new double[x.length];
        double[] sizes = new double[x.length];
        for (int from = 0; n > 0 && from < x.length; from += n) {
            double mean = 0;
            double size = 0;
            for (int i = from; i < from + n; i++) {
                mean += x[i] / n;
                size += Math.abs(x[i]) / n;
            }
            double variance = 0;
            for (int i = from; i < from + n; i++) {
                variance += (x[i] - mean) * (x[i] - mean) / n;
            }
            double inverse = 1 / Math.sqrt(variance + eps);
            for (int i = from; i < from + n; i++) {
                double weight = w == null ? 1 : w[i - from];
                double bias = b == null ? 0 : b[i - from];
                y[i] = (x[i] - mean) * inverse * weight + bias;
                sizes[i] = (Math.abs(x[i] - mean) + size) * inverse * Math.abs(weight) + Math.abs(bias);
            }
        }
        return Expected.close(y, sizes, ROUNDINGS + Expected.sumOf(n));
    }
}
