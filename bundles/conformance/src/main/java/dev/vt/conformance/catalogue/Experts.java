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

/**
 * What experts make and how it is added up: {@code moe_grouped_gemm_bf16}, {@code moe_silu_mul}, {@code moe_combine}, {@code
 * shared_expert_gate}, {@code moe_combine_gate}.
 */
final class Experts {
    private static final String[] FULL = {
        "0x2x8", "3x2x0", "3x0x5", "1x1x1", "2x2x7", "3x3x255", "4x8x256", "3x4x257", "2x6x1021", "2x2x4096", "67x2x129"
    };
    private static final Pattern[] PATTERNS = {
        Pattern.NAN_MIDDLE,
        Pattern.NAN_FIRST,
        Pattern.NAN_LAST,
        Pattern.INFINITE,
        Pattern.MINUS_INFINITE,
        Pattern.DENORMAL,
        Pattern.ZERO
    };

    /** An exponential that may be off by a few units, a sum, a quotient, a product. */
    private static final double ACTIVATION = 16;

    /** A gate this much off may round to another bf16. */
    private static final double GATE_ERROR = 2e-6;

    private static final int MAPPED = 1;
    private static final int OTHER_OUT = 2;
    private static final int EXPERT_OUTSIDE = 3;
    private static final int NEGATIVE_EXPERT = 4;
    private static final int ROW_OUTSIDE = 5;
    private static final int NO_ADDRESS = 6;

    private Experts() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.MOE_GROUPED_GEMM_BF16, "PxRxExKxN")
                        .dtypes(Dtypes.FLOATS)
                        .variants(
                                "",
                                "row map",
                                "other out",
                                "expert outside",
                                "negative expert",
                                "row outside",
                                "no address")
                        .quickVariants(MAPPED + 1)
                        .except(Experts::nothingToBeWrong)
                        .quick("1x1x1x64x32", "5x3x4x33x7", "9x4x3x64x65")
                        .full(
                                "0x2x3x8x8",
                                "3x2x2x0x5",
                                "3x2x2x5x0",
                                "2x1x1x1x1",
                                "7x7x5x127x255",
                                "8x8x8x128x256",
                                "40x9x4x129x257",
                                "3x2x6x1021x31",
                                "16x8x60x256x128",
                                "65x33x2x512x64")
                        .patterns(
                                Pattern.NAN_MIDDLE,
                                Pattern.NAN_LAST,
                                Pattern.NAN_ALL,
                                Pattern.INFINITE,
                                Pattern.DENORMAL,
                                Pattern.ZERO)
                        .makes(Experts::groupedGemm),
                OpSpec.of(OpTable.MOE_SILU_MUL, "RxI")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "other out")
                        .quick("1x64", "3x33", "2x301")
                        .full("0x8", "4x0", "1x1", "2x7", "3x255", "4x256", "3x257", "1x1021", "2x4096", "1x32771")
                        .patterns(PATTERNS)
                        .makes(Experts::siluMul),
                OpSpec.of(OpTable.MOE_COMBINE, "TxKxH")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "shared", "other out")
                        .quick("1x2x64", "3x4x33", "5x3x301")
                        .full(FULL)
                        .patterns(PATTERNS)
                        .makes(Experts::combine),
                OpSpec.of(OpTable.SHARED_EXPERT_GATE, "TxH")
                        .dtypes(DType.F32)
                        .variants("", "one dimension")
                        .quick("1x64", "3x33", "5x301")
                        .full("0x8", "4x0", "1x1", "2x7", "3x255", "4x256", "3x257", "1x1021", "2x4096")
                        .patterns(PATTERNS)
                        .makes(Experts::sharedGate),
                OpSpec.of(OpTable.MOE_COMBINE_GATE, "TxKxH")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "other out")
                        .quick("1x2x64", "3x4x33", "5x3x301")
                        .full(FULL)
                        .patterns(PATTERNS)
                        .makes(Experts::combineGate));
    }

    /** What is wrong needs a row to be wrong at, and no pattern. */
    private static boolean nothingToBeWrong(CasePlan p) {
        return p.variant() >= EXPERT_OUTSIDE && (p.dims()[0] == 0 || p.pattern() != Pattern.NORMAL);
    }

    private static void groupedGemm(Draft d) {
        int rows = d.dim(0);
        boolean mapped = d.variant() == MAPPED || d.variant() == ROW_OUTSIDE;
        int acts = mapped ? d.dim(1) : rows;
        int experts = d.dim(2);
        int k = d.dim(3);
        int n = d.dim(4);
        Operand out = d.out("out", d.variant() == OTHER_OUT ? d.otherStored() : d.stored(), rows, n);
        Operand act = d.data("act", d.dtype(), acts, k);
        int last = rows - 1;
        long wrong = d.variant() == EXPERT_OUTSIDE ? experts : d.variant() == NEGATIVE_EXPERT ? -1 : 0;
        Operand ids = d.integers(
                "expertIds",
                DType.I32,
                i -> i == last && wrong != 0 ? wrong : d.random().nextInt(experts),
                rows);
        long noRow = d.variant() == ROW_OUTSIDE ? acts : 0;
        Operand map = mapped
                ? d.integers(
                        "rowMap",
                        DType.I32,
                        i -> i == last && noRow != 0 ? noRow : d.random().nextInt(acts),
                        rows)
                : null;
        Operand matrices = d.normal("matrices", DType.BF16, experts, k, n);
        long missing = d.variant() == NO_ADDRESS ? ids.integers()[last] : -1;
        d.addresses("weights", matrices, (e, address) -> e == missing ? 0 : address);
        switch (d.variant()) {
            case EXPERT_OUTSIDE, NEGATIVE_EXPERT -> d.fails("expertIds[" + last + "]");
            case ROW_OUTSIDE -> d.fails("rowMap[" + last + "]");
            case NO_ADDRESS -> d.fails("weights[" + missing + "]");
            default -> {}
        }
        out.expect(() -> {
            long[] expert = ids.integers();
            long[] row = map == null ? LongStream.range(0, rows).toArray() : map.integers();
            double[] y = new double[rows * n];
            double[] sizes = new double[y.length];
            for (int i = 0; i < y.length; i++) {
                int a = (int) row[i / n] * k;
                int w = (int) expert[i / n] * k * n + i % n;
                for (int j = 0; j < k; j++) {
                    double term = act.values()[a + j] * matrices.values()[w + j * n];
                    y[i] += term;
                    sizes[i] += Math.abs(term);
                }
            }
            return Expected.close(y, sizes, Expected.sumOf(k));
        });
        d.flops(2.0 * rows * k * n);
        d.call((ops, q, x) -> ops.moeGroupedGemmBf16(q, x[0], x[1], x[2], mapped ? x[3] : null, x[x.length - 1]));
    }

    private static void siluMul(Draft d) {
        int t = d.dim(0);
        int n = d.dim(1);
        Operand out = d.out("out", d.variant() == 1 ? d.otherStored() : d.stored(), t, n);
        Operand gate = d.data("gate", d.dtype(), t, n);
        Operand up = d.normal("up", d.dtype(), t, n);
        out.expect(() -> {
            double[] y = gate.values().clone();
            for (int i = 0; i < y.length; i++) {
                y[i] = y[i] / (1 + Math.exp(-y[i])) * up.values()[i];
            }
            return Expected.close(y, ACTIVATION);
        });
        d.flops(8.0 * t * n);
        d.call((ops, q, x) -> ops.moeSiluMul(q, x[0], x[1], x[2]));
    }

    private static void combine(Draft d) {
        int t = d.dim(0);
        int k = d.dim(1);
        int h = d.dim(2);
        Operand out = d.out("out", d.variant() == 2 ? d.otherStored() : d.stored(), t, h);
        Operand experts = d.data("expertOut", d.dtype(), t, k, h);
        Operand weights = d.uniform("weights", -0.2, 1, DType.F32, t, k);
        Operand shared = d.variant() == 1 ? d.normal("shared", d.dtype(), t, h) : null;
        out.expect(() -> {
            double[] y = shared == null ? new double[t * h] : shared.values().clone();
            double[] sizes = new double[y.length];
            for (int i = 0; i < y.length; i++) {
                sizes[i] = Math.abs(y[i]);
            }
            add(experts.values(), weights.values(), k, h, y, sizes);
            return Expected.close(y, sizes, Expected.sumOf(k + 1));
        });
        d.flops(2.0 * t * k * h);
        d.call((ops, q, x) -> ops.moeCombine(q, x[0], x[1], x[2], x.length > 3 ? x[3] : null));
    }

    private static void add(double[] experts, double[] weights, int k, int h, double[] y, double[] sizes) {
        for (int i = 0; i < y.length; i++) {
            for (int e = 0; e < k; e++) {
                double term = weights[i / h * k + e] * experts[(i / h * k + e) * h + i % h];
                y[i] += term;
                sizes[i] += Math.abs(term);
            }
        }
    }

    private static double gated(double x, double gate) {
        return x * (1 / (1 + Math.exp(-gate)));
    }

    private static void sharedGate(Draft d) {
        int t = d.dim(0);
        int h = d.dim(1);
        Operand out = d.out("out", DType.BF16, t, h);
        Operand shared = d.data("shared", DType.F32, t, h);
        long[] shape = d.variant() == 1 ? new long[] {t} : new long[] {t, 1};
        Operand gates = d.uniform("gateLogits", -6, 6, DType.F32, shape);
        out.expect(() -> {
            double[] y = shared.values().clone();
            for (int i = 0; i < y.length; i++) {
                y[i] = gated(y[i], gates.values()[i / h]);
            }
            return Expected.close(y, ACTIVATION);
        });
        d.flops(2.0 * t * h);
        d.call((ops, q, x) -> ops.sharedExpertGate(q, x[0], x[1], x[2]));
    }

    private static void combineGate(Draft d) {
        int t = d.dim(0);
        int k = d.dim(1);
        int h = d.dim(2);
        Operand out = d.out("out", d.variant() == 1 ? d.otherStored() : d.stored(), t, h);
        Operand experts = d.data("expertOut", d.dtype(), t, k, h);
        Operand weights = d.uniform("weights", -0.2, 1, DType.F32, t, k);
        Operand shared = d.normal("shared", DType.F32, t, h);
        Operand gates = d.uniform("gateLogits", -6, 6, DType.F32, t, 1);
        double roundings = Expected.sumOf(k + 1);
        out.expect(() -> {
            double[] y = new double[t * h];
            double[] sizes = new double[y.length];
            for (int i = 0; i < y.length; i++) {
                double term = gated(shared.values()[i], gates.values()[i / h]);
                y[i] = Floats.rounded(DType.BF16, term);
                sizes[i] = Math.abs(y[i]) + otherRounding(term) / roundings;
            }
            add(experts.values(), weights.values(), k, h, y, sizes);
            return Expected.close(y, sizes, roundings);
        });
        d.flops(2.0 * t * k * h);
        d.call((ops, q, x) -> ops.moeCombineGate(q, x[0], x[1], x[2], x[3], x[4]));
    }

    /** In roundings to f32, the distance to the other bf16, where the gate's error decides between two. */
    private static double otherRounding(double term) {
        double low = Floats.rounded(DType.BF16, term * (1 - GATE_ERROR));
        double high = Floats.rounded(DType.BF16, term * (1 + GATE_ERROR));
        return Math.abs(high - low) * 0x1p24;
    }
}
