package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.Arrays;
import java.util.List;

/** The gated delta rule: {@code gdn_prefill}, {@code gdn_decode}, {@code gdn_packed_decode}. */
final class DeltaRules {
    private static final float SCALE = 0.375f;
    private static final float EPS = 1e-6f;

    private DeltaRules() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.GDN_PREFILL, "NxTxHkxHvxDkxDv")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "starts outside")
                        .quick("1x5x2x4x16x8", "3x7x1x3x33x5", "2x12x2x4x64x17")
                        .full(
                                "0x3x1x1x4x4",
                                "2x0x1x2x8x8",
                                "1x3x0x0x4x4",
                                "1x9x1x2x0x3",
                                "1x9x1x2x3x0",
                                "1x1x1x1x1x1",
                                "1x63x1x2x32x16",
                                "1x64x1x2x32x16",
                                "1x65x1x2x32x16",
                                "3x130x1x1x31x127",
                                "1x11x2x2x129x128",
                                "1x5x16x32x128x128")
                        .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.DENORMAL, Pattern.ZERO)
                        .makes(DeltaRules::prefill),
                OpSpec.of(OpTable.GDN_DECODE, "BxHkxHvxDkxDv")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "slots", "equal slots", "slot outside")
                        .quick("1x2x4x16x8", "2x1x3x33x5", "5x2x4x64x17")
                        .full(
                                "0x1x1x4x4",
                                "2x0x0x4x4",
                                "3x1x2x0x3",
                                "3x1x2x3x0",
                                "1x1x1x1x1",
                                "9x1x1x31x127",
                                "4x2x2x129x128",
                                "3x16x32x128x128")
                        .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.DENORMAL, Pattern.ZERO)
                        .makes(DeltaRules::decode),
                OpSpec.of(OpTable.GDN_PACKED_DECODE, "BxHkxHvxDkxDv")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "equal slots", "slot outside")
                        .quick("1x2x4x16x8", "2x1x3x33x5", "5x2x4x64x17")
                        .full(
                                "0x1x1x4x4",
                                "2x0x0x4x4",
                                "3x1x2x3x0",
                                "1x1x1x1x1",
                                "9x1x1x31x127",
                                "4x2x2x129x128",
                                "3x16x32x128x128")
                        .patterns(Pattern.NAN_FIRST, Pattern.NAN_LAST, Pattern.ZERO)
                        .makes(DeltaRules::packed));
    }

    private static void prefill(Draft d) {
        int n = d.dim(0);
        int t = d.dim(1);
        Shape s = new Shape(t, d.dim(2), d.dim(3), d.dim(4), d.dim(5));
        Operand out = d.out("out", d.stored(), t, s.heads, s.dv);
        Inputs inputs = inputs(d, s);
        Operand state = d.normal("state", DType.F32, n, s.heads, s.dv, s.dk);
        States.Steps steps = States.sequences(d, n, t, d.variant() == 1);
        expect(s, inputs, out, state, steps);
        d.call((ops, q, a) -> ops.gdnPrefill(q, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], SCALE));
        d.flops(7.0 * t * s.heads * s.dv * s.dk);
    }

    private static void decode(Draft d) {
        int b = d.dim(0);
        Shape s = new Shape(b, d.dim(1), d.dim(2), d.dim(3), d.dim(4));
        Operand out = d.out("out", d.stored(), b, s.heads, s.dv);
        Inputs inputs = inputs(d, s);
        int slots = d.variant() == 0 ? b : b + 2;
        Operand state = d.normal("state", DType.F32, slots, s.heads, s.dv, s.dk);
        States.Steps steps = States.slots(d, b, slots, d.variant());
        expect(s, inputs, out, state, steps);
        d.call((ops, q, a) ->
                ops.gdnDecode(q, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a.length > 7 ? a[7] : null, SCALE));
        d.flops(7.0 * b * s.heads * s.dv * s.dk);
        d.touching(8L * b * s.heads * s.dv * s.dk);
    }

    private static void packed(Draft d) {
        int b = d.dim(0);
        Shape s = new Shape(b, d.dim(1), d.dim(2), d.dim(3), d.dim(4));
        Operand out = d.out("out", d.stored(), b, s.heads, s.dv);
        int keys = s.keyHeads * s.dk;
        int width = 2 * keys + s.heads * s.dv;
        Operand mixed = d.data("mixedQkv", d.dtype(), b, width);
        Operand a = d.normal("a", d.dtype(), b, s.heads);
        Operand beta = d.normal("b", d.dtype(), b, s.heads);
        Operand aLog = d.uniform("aLog", -2, 1, d.dtype(), s.heads);
        Operand dtBias = d.normal("dtBias", d.dtype(), s.heads);
        int slots = b + 2;
        Operand state = d.normal("state", DType.F32, slots, s.heads, s.dv, s.dk);
        States.Steps steps = States.slots(d, b, slots, d.variant() + 1);
        double[] x = mixed.values();
        Inputs inputs = new Inputs(
                (t, head) -> Gating.unit(x, t * width + head * s.dk, s.dk, EPS),
                (t, head) -> Gating.unit(x, t * width + keys + head * s.dk, s.dk, EPS),
                (t, head, i) -> x[t * width + 2 * keys + head * s.dv + i],
                (t, head) -> Gating.g(a.values()[t * s.heads + head], dtBias.values()[head], aLog.values()[head]),
                (t, head) -> Gating.sigmoid(beta.values()[t * s.heads + head]));
        expect(s, inputs, out, state, steps);
        d.call((ops, q, ts) ->
                ops.gdnPackedDecode(q, ts[0], ts[1], ts[2], ts[3], ts[4], ts[5], ts[6], ts[7], SCALE, EPS));
        d.flops(7.0 * b * s.heads * s.dv * s.dk);
        d.touching(8L * b * s.heads * s.dv * s.dk);
    }

    /** Sizes of a call. */
    private record Shape(int tokens, int keyHeads, int heads, int dk, int dv) {
        int keyHead(int head) {
            return head / (heads / keyHeads);
        }
    }

    @FunctionalInterface
    private interface Vector {
        double[] of(int token, int head);
    }

    @FunctionalInterface
    private interface Element {
        double of(int token, int head, int i);
    }

    @FunctionalInterface
    private interface Number {
        double of(int token, int head);
    }

    /** What a token gives; q and k by key head, the others by value head. */
    private record Inputs(Vector q, Vector k, Element v, Number g, Number beta) {}

    private static Inputs inputs(Draft d, Shape s) {
        Operand q = unit(d, "q", s);
        Operand k = unit(d, "k", s);
        Operand v = d.data("v", d.dtype(), s.tokens, s.heads, s.dv);
        Operand g = d.uniform("g", -2, 0, DType.F32, s.tokens, s.heads);
        Operand beta = d.uniform("beta", 0, 1, DType.F32, s.tokens, s.heads);
        return new Inputs(
                (t, head) -> row(q, t * s.keyHeads + head, s.dk),
                (t, head) -> row(k, t * s.keyHeads + head, s.dk),
                (t, head, i) -> v.values()[(t * s.heads + head) * s.dv + i],
                (t, head) -> g.values()[t * s.heads + head],
                (t, head) -> beta.values()[t * s.heads + head]);
    }

    /** Heads of length 1, as the op wants them. */
    private static Operand unit(Draft d, String name, Shape s) {
        double[] values = new double[s.tokens * s.keyHeads * s.dk];
        Arrays.setAll(values, i -> d.random().nextGaussian());
        for (int r = 0; r < s.tokens * s.keyHeads; r++) {
            System.arraycopy(Gating.unit(values, r * s.dk, s.dk, 0), 0, values, r * s.dk, s.dk);
        }
        return d.of(name, d.dtype(), values, s.tokens, s.keyHeads, s.dk);
    }

    private static double[] row(Operand o, int row, int width) {
        return Arrays.copyOfRange(o.values(), row * width, (row + 1) * width);
    }

    private static void expect(Shape s, Inputs inputs, Operand out, Operand state, States.Steps steps) {
        // Where both outputs are compared the recurrence is run twice, which keeps them independent of each other.
        out.expect(() -> {
            Run run = new Run(s, inputs, state, steps);
            return Expected.close(run.out, run.outSizes, run.roundings())
                    .untouched(steps.untouched(s.heads * s.dv, run.out.length));
        });
        state.expect(() -> {
            Run run = new Run(s, inputs, state, steps);
            return Expected.close(run.states, run.stateSizes, run.roundings());
        });
    }

    /**
     * The recurrence in the form of the paper, S_t = S_(t-1) exp(g) (I - beta k k^T) + beta v k^T and o_t = scale S_t q, row by row of S.
     *
     * <p>The size that an error is measured by is the largest length that the row has had, or the value that went in: by Cauchy and
     * Schwarz no product of the row with a k or q of length 1 has terms that sum up to more. An update never makes an old error larger,
     * since k has length 1 and exp(g) and beta are at most 1; so errors of tokens add up like a random walk, with the root of their
     * number.
     */
    private static final class Run {
        private final Shape shape;
        private final Inputs inputs;
        private final States.Steps steps;
        final double[] out;
        final double[] outSizes;
        final double[] states;
        final double[] stateSizes;

        Run(Shape shape, Inputs inputs, Operand state, States.Steps steps) {
            this.shape = shape;
            this.inputs = inputs;
            this.steps = steps;
            out = new double[shape.tokens * shape.heads * shape.dv];
            outSizes = new double[out.length];
            states = state.values().clone();
            stateSizes = new double[states.length];
            for (int step = 0; step < steps.count(); step++) {
                for (int head = 0; steps.slot(step) >= 0 && head < shape.heads; head++) {
                    step(step, head);
                }
            }
        }

        double roundings() {
            int longest = 1;
            for (int step = 0; step < steps.count(); step++) {
                longest = Math.max(longest, steps.to(step) - steps.from(step));
            }
            // 16 for the exponentials of the gates, the products with them, and what makes q and k of length 1.
            return (Expected.sumOf(shape.dk) + 16) * Math.sqrt(longest);
        }

        private void step(int step, int head) {
            for (int t = steps.from(step); t < steps.to(step); t++) {
                double[] q = inputs.q.of(t, shape.keyHead(head));
                double[] k = inputs.k.of(t, shape.keyHead(head));
                for (int i = 0; i < shape.dv; i++) {
                    int at = ((steps.slot(step) * shape.heads + head) * shape.dv + i) * shape.dk;
                    double v = inputs.v.of(t, head, i);
                    double size = Math.max(Math.abs(v), length(at));
                    token(at, k, v, Math.exp(inputs.g.of(t, head)), inputs.beta.of(t, head));
                    double sum = 0;
                    for (int j = 0; j < shape.dk; j++) {
                        sum += states[at + j] * q[j];
                        stateSizes[at + j] = Math.max(stateSizes[at + j], size);
                    }
                    int o = (t * shape.heads + head) * shape.dv + i;
                    out[o] = SCALE * sum;
                    outSizes[o] = SCALE * (shape.dk == 0 ? 0 : stateSizes[at]);
                }
            }
        }

        private double length(int at) {
            double squares = 0;
            for (int j = 0; j < shape.dk; j++) {
                squares += states[at + j] * states[at + j];
            }
            return Math.sqrt(squares);
        }

        private void token(int at, double[] k, double v, double decay, double beta) {
            double along = 0;
            for (int j = 0; j < shape.dk; j++) {
                along += states[at + j] * k[j];
            }
            for (int j = 0; j < shape.dk; j++) {
                states[at + j] = decay * (states[at + j] - beta * along * k[j]) + beta * v * k[j];
            }
        }
    }
}
