package dev.vt.conformance.catalogue;

import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.List;

/** Products of many pairs of matrices: {@code batched_matmul}. */
final class BatchedProducts {
    private BatchedProducts() {}

    static List<OpSpec> all() {
        return List.of(OpSpec.of(OpTable.BATCHED_MATMUL, "GxMxKxN")
                .dtypes(Dtypes.STORED)
                .variants("", "heads-inside", "one-b")
                .quick("1x2x64x32", "3x3x33x7", "4x9x32x17")
                .full(
                        "0x3x4x5",
                        "2x0x4x5",
                        "2x3x0x5",
                        "2x3x4x0",
                        "1x1x1x1",
                        "5x7x127x15",
                        "2x8x128x256",
                        "3x9x129x257",
                        "16x2x128x512",
                        "7x1x511x3")
                .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO)
                .makes(BatchedProducts::product));
    }

    private static void product(Draft d) {
        int g = d.dim(0);
        int m = d.dim(1);
        int k = d.dim(2);
        int n = d.dim(3);
        Operand out = d.out("out", d.stored(), g, m, n).mayPad();
        Operand a = d.data("a", d.dtype(), g, m, k).mayPad();
        Operand b = d.variant() == 2
                ? oneForAll(d, g, k, n)
                : d.normal("b", d.dtype(), g, k, n).mayPad();
        if (d.variant() == 1) {
            // Memory holds [M,G,...], as queries have their heads, with a gap after each row.
            a.strides(k + 1L, g * (k + 1L), 1);
            out.strides(n + 3L, g * (n + 3L), 1);
        }
        out.expect(() -> {
            double[] values = new double[g * m * n];
            double[] sizes = new double[g * m * n];
            for (int i = 0; i < values.length; i++) {
                int row = i / n;
                for (int j = 0; j < k; j++) {
                    double product = a.values()[row * k + j] * b.values()[(row / m * k + j) * n + i % n];
                    values[i] += product;
                    sizes[i] += Math.abs(product);
                }
            }
            return Expected.close(values, sizes, Expected.sumOf(k));
        });
        d.flops(2.0 * g * m * k * n);
        d.call((ops, q, t) -> ops.batchedMatmul(q, t[0], t[1], t[2]));
    }

    /** The same matrix for each pair, once in memory. */
    private static Operand oneForAll(Draft d, int g, int k, int n) {
        double[] one = d.random().doubles((long) k * n, -2, 2).toArray();
        double[] all = new double[g * k * n];
        for (int i = 0; i < all.length; i++) {
            all[i] = one[i % one.length];
        }
        return d.of("b", d.dtype(), all, g, k, n).strides(0, n, 1);
    }
}
