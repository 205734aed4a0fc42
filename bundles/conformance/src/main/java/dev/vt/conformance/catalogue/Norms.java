package dev.vt.conformance.catalogue;

import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.Floats;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.List;

/** Normalisation of rows: {@code rms_norm}. */
final class Norms {
    /** A sum of squares, a root, a division and two products, each rounded in any kernel. */
    private static final double ROUNDINGS = 16;

    private Norms() {}

    static List<OpSpec> all() {
        return List.of(OpSpec.of(OpTable.RMS_NORM, "TxH")
                .dtypes(Dtypes.FLOATS)
                .variants("", "residual", "gemma")
                .quick("1x64", "3x33", "5x256")
                .full("0x8", "1x1", "2x7", "4x127", "4x128", "4x129", "3x1021", "2x4096")
                .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO)
                .makes(Norms::rms));
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
            return Expected.close(y, ROUNDINGS);
        });
        d.flops(4.0 * t * h);
        d.call((ops, q, ts) -> ops.rmsNorm(q, ts[0], ts[1], ts[2], ts.length > 3 ? ts[3] : null, eps, gemma));
    }
}
