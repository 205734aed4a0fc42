package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.Floats;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.List;
import java.util.stream.LongStream;

/** Products of experts with nvfp4 weights at addresses: {@code moe_grouped_gemm_nvfp4}. */
final class ExpertsNvfp4 {
    private static final int MAPPED = 1;
    private static final int EXPERT_OUTSIDE = 2;
    private static final int ROW_OUTSIDE = 3;
    private static final int NO_PACKED = 4;
    private static final int NO_SCALES = 5;

    private ExpertsNvfp4() {}

    static List<OpSpec> all() {
        return List.of(OpSpec.of(OpTable.MOE_GROUPED_GEMM_NVFP4, "PxRxExKxN")
                .dtypes(Dtypes.FLOATS)
                .variants("", "row map", "expert outside", "row outside", "no codes", "no scales")
                .quickVariants(MAPPED + 1)
                .except(ExpertsNvfp4::nothingToBeWrong)
                .quick("1x1x1x64x32", "5x3x4x32x7", "9x4x3x64x65")
                .full(
                        "0x2x3x16x8",
                        "3x2x2x0x5",
                        "3x2x2x16x0",
                        "2x1x1x16x1",
                        "7x7x5x128x15",
                        "65x33x2x80x5",
                        "3x2x6x1024x31",
                        "16x8x60x48x9")
                .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO)
                .makes(ExpertsNvfp4::grouped));
    }

    /** What is wrong needs a row to be wrong at, and no pattern. */
    private static boolean nothingToBeWrong(CasePlan p) {
        return p.variant() >= EXPERT_OUTSIDE && (p.dims()[0] == 0 || p.pattern() != Pattern.NORMAL);
    }

    private static void grouped(Draft d) {
        int rows = d.dim(0);
        boolean mapped = d.variant() == MAPPED || d.variant() == ROW_OUTSIDE;
        int acts = mapped ? d.dim(1) : rows;
        int experts = d.dim(2);
        int k = d.dim(3);
        int n = d.dim(4);
        Operand out = d.out("out", d.stored(), rows, n);
        Operand act = d.data("act", d.dtype(), acts, k);
        Operand ids = d.integers("expertIds", DType.I32, i -> number(d, i, EXPERT_OUTSIDE, experts), rows);
        Operand map = mapped ? d.integers("rowMap", DType.I32, i -> number(d, i, ROW_OUTSIDE, acts), rows) : null;
        byte[] codes = SmallFloats.codes(d.random(), experts * n * k / 2);
        byte[] scales = SmallFloats.scales(d.random(), Pattern.NORMAL, experts * n, k / 16);
        Operand codeRows = d.bytes("codes", DType.I8, codes, experts, n, k / 2);
        Operand scaleRows = d.bytes("blockScales", DType.I8, scales, experts, n, k / 16);
        long last = rows == 0 ? -1 : ids.integers()[rows - 1];
        d.addresses("packed", codeRows, (e, at) -> d.variant() == NO_PACKED && e == last ? 0 : at);
        d.addresses("scales", scaleRows, (e, at) -> d.variant() == NO_SCALES && e == last ? 0 : at);
        Operand scale2 = d.uniform("scale2", 0.1, 1, DType.F32, experts);
        switch (d.variant()) {
            case EXPERT_OUTSIDE -> d.fails("expertIds[" + (rows - 1) + "]");
            case ROW_OUTSIDE -> d.fails("rowMap[" + (rows - 1) + "]");
            case NO_PACKED -> d.fails("packed[" + last + "]");
            case NO_SCALES -> d.fails("scales[" + last + "]");
            default -> {}
        }
        out.expect(() -> {
            double[] w = SmallFloats.nvfp4(codes, scales);
            for (int i = 0; i < w.length; i++) {
                double factor = scale2.values()[i / (n * k)];
                w[i] = Floats.rounded(DType.BF16, (float) (w[i] * factor));
            }
            long[] row = map == null ? LongStream.range(0, rows).toArray() : map.integers();
            return products(act.values(), w, row, ids.integers(), n, k);
        });
        d.flops(2.0 * rows * k * n);
        int at = mapped ? 4 : 3;
        d.call((ops, q, t) ->
                ops.moeGroupedGemmNvfp4(q, t[0], t[1], t[2], mapped ? t[3] : null, t[at + 2], t[at + 3], t[at + 4]));
    }

    /** Below a bound, but for the last one of the case that is to be wrong. */
    private static long number(Draft d, long i, int wrongVariant, int bound) {
        boolean wrong = d.variant() == wrongVariant && i == d.dim(0) - 1;
        return wrong ? bound : d.random().nextInt(bound);
    }

    /** Row r is row {@code rows[r]} of the activations times the weight [n,k] of expert {@code experts[r]}. */
    private static Expected products(double[] act, double[] w, long[] rows, long[] experts, int n, int k) {
        double[] y = new double[rows.length * n];
        double[] sizes = new double[y.length];
        for (int i = 0; i < y.length; i++) {
            int a = (int) rows[i / n] * k;
            int b = ((int) experts[i / n] * n + i % n) * k;
            for (int j = 0; j < k; j++) {
                double term = act[a + j] * w[b + j];
                y[i] += term;
                sizes[i] += Math.abs(term);
            }
        }
        return Expected.close(y, sizes, Expected.sumOf(k));
    }
}
