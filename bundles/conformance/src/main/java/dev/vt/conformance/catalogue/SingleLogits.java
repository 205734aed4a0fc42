package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.List;

/**
 * Ops that change single logits: {@code apply_logit_bias}, {@code apply_token_mask}, {@code apply_allowed_token_ids}. Nothing is
 * rounded but the one addition, so bits are compared.
 */
final class SingleLogits {
    private static final Pattern[] PATTERNS = {
        Pattern.NAN_MIDDLE,
        Pattern.NAN_ALL,
        Pattern.NAN_AND_INFINITE,
        Pattern.INFINITE,
        Pattern.MINUS_INFINITE,
        Pattern.ZERO
    };

    private static final int ROW_TOO_LARGE = 1;
    private static final int ROW_NEGATIVE = 2;
    private static final int COLUMN_TOO_LARGE = 3;
    private static final int COLUMN_NEGATIVE = 4;

    private SingleLogits() {}

    static List<OpSpec> all() {
        return List.of(
                places(OpSpec.of(OpTable.APPLY_LOGIT_BIAS, "RxVxM")).makes(SingleLogits::bias),
                places(OpSpec.of(OpTable.APPLY_TOKEN_MASK, "RxVxM")).makes(SingleLogits::mask),
                OpSpec.of(OpTable.APPLY_ALLOWED_TOKEN_IDS, "RxV")
                        .dtypes(DType.F32)
                        .quick("1x64", "3x33", "2x301")
                        .full(
                                "0x8", "3x0", "3x1", "1x1", "2x7", "3x255", "4x256", "3x257", "2x1021", "1x8193",
                                "2x32003")
                        .patterns(PATTERNS)
                        .makes(SingleLogits::allowed));
    }

    private static OpSpec.Builder places(OpSpec.Builder builder) {
        return builder.dtypes(DType.F32)
                .variants("", "row too large", "row negative", "column too large", "column negative")
                .quickVariants(1)
                .except(SingleLogits::nothingToBeWrong)
                .quick("1x64x5", "3x33x40", "2x301x17")
                .full("0x8x0", "3x0x0", "3x5x0", "1x1x1", "1x1x9", "2x7x14", "3x257x255", "4x1021x256", "2x32003x1021")
                .patterns(PATTERNS);
    }

    /** What is wrong needs a place to be wrong at, and no pattern. */
    private static boolean nothingToBeWrong(CasePlan p) {
        return p.variant() >= ROW_TOO_LARGE && (p.dims()[2] == 0 || p.pattern() != Pattern.NORMAL);
    }

    /** Rows and columns at random, some named more than once; the last is wrong where the variant says so. */
    private static Operand[] somePlaces(Draft d) {
        int m = d.dim(2);
        int rows = d.dim(0);
        int cols = d.dim(1);
        long lastRow = d.variant() == ROW_TOO_LARGE ? rows : d.variant() == ROW_NEGATIVE ? -1 : 0;
        long lastCol = d.variant() == COLUMN_TOO_LARGE ? cols : d.variant() == COLUMN_NEGATIVE ? -1 : cols - 1L;
        if (d.variant() >= ROW_TOO_LARGE) {
            d.fails((d.variant() < COLUMN_TOO_LARGE ? "rows[" : "cols[") + (m - 1) + "]");
        }
        return new Operand[] {
            d.integers("rows", DType.I32, i -> i == m - 1 ? lastRow : d.random().nextInt(rows), m),
            d.integers("cols", DType.I32, i -> i == m - 1 ? lastCol : d.random().nextInt(cols), m)
        };
    }

    private static void bias(Draft d) {
        int m = d.dim(2);
        Operand logits = d.data("logits", DType.F32, d.dim(0), d.dim(1));
        Operand[] places = somePlaces(d);
        Operand bias = d.uniform("bias", -100, 100, DType.F32, m);
        logits.expect(() -> {
            double[] y = logits.values().clone();
            for (int i = 0; i < m; i++) {
                int at = at(places, i, d.dim(1));
                y[at] = (float) (y[at] + bias.values()[i]);
            }
            return Expected.exact(y);
        });
        d.touching(20L * m);
        d.call((ops, q, t) -> ops.applyLogitBias(q, t[0], t[1], t[2], t[3]));
    }

    private static void mask(Draft d) {
        Operand logits = d.data("logits", DType.F32, d.dim(0), d.dim(1));
        Operand[] places = somePlaces(d);
        logits.expect(() -> {
            double[] y = logits.values().clone();
            for (int i = 0; i < d.dim(2); i++) {
                y[at(places, i, d.dim(1))] = Double.NEGATIVE_INFINITY;
            }
            return Expected.exact(y);
        });
        d.touching(12L * d.dim(2));
        d.call((ops, q, t) -> ops.applyTokenMask(q, t[0], t[1], t[2]));
    }

    private static int at(Operand[] places, int i, int cols) {
        return (int) (places[0].integers()[i] * cols + places[1].integers()[i]);
    }

    private static void allowed(Draft d) {
        Operand logits = d.data("logits", DType.F32, d.dims());
        // Any number but 0 excludes a token.
        Operand mask = d.integers("mask", DType.I8, i -> d.random().nextInt(3) == 0 ? -128 + i % 128 : 0, d.dims());
        logits.expect(() -> {
            double[] y = logits.values().clone();
            long[] excluded = mask.integers();
            for (int i = 0; i < y.length; i++) {
                y[i] = excluded[i] != 0 ? Double.NEGATIVE_INFINITY : y[i];
            }
            return Expected.exact(y);
        });
        d.call((ops, q, t) -> ops.applyAllowedTokenIds(q, t[0], t[1]));
    }
}
