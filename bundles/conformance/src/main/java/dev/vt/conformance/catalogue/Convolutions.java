package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Causal convolutions: {@code causal_conv1d_fwd}, {@code causal_conv1d_update}. */
final class Convolutions {
    /** What the exponential and the division of silu add to the roundings of the sum. */
    private static final double SILU = 12;

    private Convolutions() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.CAUSAL_CONV1D_FWD, "NxTxCxK")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "bias, silu", "starts outside")
                        .quick("1x5x64x4", "2x3x33x2", "3x17x65x4")
                        .full(
                                "2x0x5x4",
                                "0x3x5x4",
                                "2x3x0x4",
                                "3x7x5x1",
                                "1x1x1x2",
                                "5x64x127x4",
                                "2x9x128x4",
                                "2x9x129x5",
                                "4x1x7x4",
                                "1x300x3x4",
                                "3x13x1021x3",
                                "1x3x8192x4")
                        .patterns(
                                Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO)
                        .makes(Convolutions::fwd),
                OpSpec.of(OpTable.CAUSAL_CONV1D_UPDATE, "BxCxK")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "slots, bias, silu", "equal slots", "slot outside")
                        .quick("1x64x4", "2x33x2", "5x65x4")
                        .full(
                                "0x5x4",
                                "2x0x4",
                                "3x5x1",
                                "1x1x2",
                                "9x127x4",
                                "2x128x4",
                                "3x129x5",
                                "2x1021x3",
                                "8x8192x4")
                        .patterns(
                                Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO)
                        .makes(Convolutions::update));
    }

    private static void fwd(Draft d) {
        int n = d.dim(0);
        int t = d.dim(1);
        int c = d.dim(2);
        int k = d.dim(3);
        boolean silu = d.variant() == 1;
        Operand out = d.out("out", d.stored(), t, c);
        Operand x = d.data("x", d.dtype(), t, c);
        Operand w = d.normal("weight", d.dtype(), c, k);
        Operand state = d.normal("state", DType.F32, n, c, k - 1);
        States.Steps steps = States.sequences(d, n, t, d.variant() == 2);
        Operand initial = d.integers("hasInitialState", silu ? DType.I32 : DType.I8, i -> i % 2 == 0 ? -3 : 0, n);
        Operand bias = silu ? d.normal("bias", d.dtype(), c) : null;
        Filter filter = new Filter(x, w, bias, state, steps, silu, slot -> initial.integers()[slot] != 0);
        out.expect(filter::outputs);
        state.expect(filter::states);
        d.flops(2.0 * t * c * k);
        d.call((ops, q, a) ->
                ops.causalConv1dFwd(q, a[0], a[1], a[2], a.length > 6 ? a[6] : null, a[3], a[4], a[5], silu));
    }

    private static void update(Draft d) {
        int b = d.dim(0);
        int c = d.dim(1);
        int k = d.dim(2);
        boolean silu = d.variant() == 1;
        Operand out = d.out("out", d.stored(), b, c);
        Operand x = d.data("x", d.dtype(), b, c);
        Operand w = d.normal("weight", d.dtype(), c, k);
        int slots = d.variant() == 0 ? b : b + 2;
        Operand state = d.normal("state", DType.F32, slots, c, k - 1);
        States.Steps steps = States.slots(d, b, slots, d.variant());
        Operand bias = silu ? d.normal("bias", d.dtype(), c) : null;
        Filter filter = new Filter(x, w, bias, state, steps, silu, slot -> true);
        out.expect(filter::outputs);
        state.expect(filter::states);
        d.flops(2.0 * b * c * k);
        d.touching(4L * b * c * (2 * k - 1) + 2L * b * c * d.dtype().elementBytes());
        boolean indexed = steps.operand() != null;
        d.call((ops, q, a) -> ops.causalConv1dUpdate(
                q, a[0], a[1], a[2], a.length > 5 ? a[5] : null, a[3], indexed ? a[4] : null, silu));
    }

    @FunctionalInterface
    private interface Initial {
        boolean of(int slot);
    }

    /** The convolution as it is written: for each token the weighted sum over what was K - 1 to 0 tokens before. */
    private record Filter(
            Operand x,
            Operand w,
            @Nullable Operand bias,
            Operand state,
            States.Steps steps,
            boolean silu,
            Initial initial) {
        private int channels() {
            return (int) w.shape()[0];
        }

        private int taps() {
            return (int) w.shape()[1];
        }

        /** The input that came {@code back} tokens before token t of a step: of the step's rows, or of its old state. */
        private double input(double[] states, int step, int t, int back, int channel) {
            if (t - back >= steps.from(step)) {
                return x.values()[(t - back) * channels() + channel];
            }
            int slot = steps.slot(step);
            int old = taps() - 1 - (back - (t - steps.from(step)));
            return initial.of(slot) ? states[(slot * channels() + channel) * (taps() - 1) + old] : 0;
        }

        Expected outputs() {
            int c = channels();
            double[] y = new double[x.values().length];
            double[] sizes = new double[y.length];
            run((states, step, t, channel) -> {
                int at = t * c + channel;
                double sum = bias == null ? 0 : bias.values()[channel];
                double size = Math.abs(sum);
                for (int back = 0; back < taps(); back++) {
                    double term =
                            w.values()[channel * taps() + taps() - 1 - back] * input(states, step, t, back, channel);
                    sum += term;
                    size += Math.abs(term);
                }
                y[at] = silu ? sum / (1 + Math.exp(-sum)) : sum;
                sizes[at] = size;
            });
            return Expected.close(y, sizes, Expected.sumOf(taps() + 1) + (silu ? SILU : 0))
                    .untouched(steps.untouched(c, y.length));
        }

        Expected states() {
            return Expected.exact(run((states, step, t, channel) -> {}));
        }

        @FunctionalInterface
        private interface Token {
            void run(double[] states, int step, int t, int channel);
        }

        /** Goes through all tokens, and gives the states that there are in the end. */
        private double[] run(Token token) {
            int c = channels();
            int kept = taps() - 1;
            double[] states = state.values().clone();
            for (int step = 0; step < steps.count(); step++) {
                int last = steps.to(step) - 1;
                if (steps.slot(step) < 0 || last < steps.from(step)) {
                    continue;
                }
                for (int channel = 0; channel < c; channel++) {
                    for (int t = steps.from(step); t <= last; t++) {
                        token.run(states, step, t, channel);
                    }
                    double[] next = new double[kept];
                    for (int j = 0; j < kept; j++) {
                        next[j] = input(states, step, last, kept - 1 - j, channel);
                    }
                    System.arraycopy(next, 0, states, (steps.slot(step) * c + channel) * kept, kept);
                }
            }
            return states;
        }
    }
}
