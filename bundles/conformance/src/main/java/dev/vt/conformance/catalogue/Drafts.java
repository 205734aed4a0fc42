package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.Arrays;
import java.util.List;

/** Which tokens of a speculative step stand: {@code greedy_rejection_sample}. */
final class Drafts {
    private static final int FALLING = 1;
    private static final int OUTSIDE = 2;
    private static final int NEGATIVE = 3;
    private static final int TOO_WIDE = 4;

    private Drafts() {}

    static List<OpSpec> all() {
        return List.of(OpSpec.of(OpTable.GREEDY_REJECTION_SAMPLE, "RxMxV")
                .dtypes(DType.F32)
                .variants("", "bounds fall", "bound outside", "bound negative", "more rows than columns")
                .quickVariants(1)
                .except(p -> p.variant() != 0 && (p.dims()[0] < 2 || p.dims()[1] < 2 || p.pattern() != Pattern.NORMAL))
                .except(Drafts::nothingToChoose)
                .quick("1x3x64", "3x1x33", "5x4x301")
                .full("0x4x8", "3x0x8", "1x1x1", "2x2x7", "7x5x255", "4x9x257", "33x3x1021", "2x4x8193", "3x6x32003")
                .patterns(
                        Pattern.TIES,
                        Pattern.NAN_MIDDLE,
                        Pattern.NAN_FIRST,
                        Pattern.NAN_LAST,
                        Pattern.NAN_ALL,
                        Pattern.NAN_AND_INFINITE,
                        Pattern.MINUS_INFINITE,
                        Pattern.ZERO)
                .makes(Drafts::rejection));
    }

    private static boolean nothingToChoose(CasePlan p) {
        return p.dims()[2] == 0;
    }

    private static void rejection(Draft d) {
        int requests = d.dim(0);
        int width = d.dim(1);
        int v = d.dim(2);
        int[] bounds = new int[requests + 1];
        for (int r = 0; r < requests; r++) {
            // The first has the most there may be; some have none.
            int rows = r == 0 ? width : d.random().nextInt(width + 1);
            bounds[r + 1] = bounds[r] + rows;
        }
        int rows = bounds[requests];
        Operand sampled = d.out("sampled", DType.I32, requests, width);
        Operand num = d.out("num", DType.I32, requests);
        Operand logits = d.data("logits", DType.F32, rows, v);
        long[] best = new long[rows];
        Arrays.setAll(best, r -> first(logits.values(), r * v, v));
        Operand draft = d.integers(
                "draft",
                DType.I32,
                i -> i > 0 && d.random().nextInt(4) != 0 ? best[(int) i - 1] : other(d, i, v),
                rows);
        long[] given = wrong(d, bounds, width, rows);
        d.integers("cu", DType.I32, i -> given[(int) i], requests + 1L);
        long[] drafts = draft.integers();
        long[] counts = new long[requests];
        long[] tokens = new long[requests * width];
        Arrays.fill(tokens, -1);
        for (int r = 0; r < requests; r++) {
            boolean stands = true;
            for (int row = bounds[r]; row < bounds[r + 1] && stands; row++) {
                tokens[r * width + (int) counts[r]++] = best[row];
                stands = row + 1 < bounds[r + 1] && drafts[row + 1] == best[row];
            }
        }
        sampled.expect(() -> Expected.integers(tokens));
        num.expect(() -> Expected.integers(counts));
        d.call((ops, q, t) -> ops.greedyRejectionSample(q, t[0], t[1], t[2], t[3], t[4]));
    }

    /** A token that may or may not be the right one, or none. */
    private static long other(Draft d, long i, int v) {
        return i % 2 == 0 ? -1 : d.random().nextInt(v);
    }

    private static long[] wrong(Draft d, int[] bounds, int width, int rows) {
        long[] given = Arrays.stream(bounds).asLongStream().toArray();
        int last = given.length - 1;
        switch (d.variant()) {
            case FALLING -> {
                given[1] = 1;
                given[2] = 0;
                d.fails("cu[2]");
            }
            case OUTSIDE -> {
                given[last] = rows + 1L;
                d.fails("cu[" + last + "]");
            }
            case NEGATIVE -> {
                given[0] = -1;
                d.fails("cu[0]");
            }
            case TOO_WIDE -> {
                Arrays.fill(given, 0);
                given[last] = rows > width ? rows : width + 1L;
                d.fails("cu[" + last + "]");
            }
            default -> {}
        }
        return given;
    }

    private static int first(double[] x, int from, int n) {
        int best = 0;
        for (int i = 0; i < n; i++) {
            if (Double.isNaN(x[from + i])) {
                return i;
            }
            if (x[from + i] > x[from + best]) {
                best = i;
            }
        }
        return best;
    }
}
