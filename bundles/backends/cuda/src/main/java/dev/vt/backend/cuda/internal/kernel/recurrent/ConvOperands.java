package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Widths;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import org.jspecify.annotations.Nullable;

/** What both causal convolutions have in common. No state. */
final class ConvOperands {
    static final int THREADS = 128;

    /** Channels of a thread, and taps, for which a kernel keeps all it has seen in registers. */
    private static final int FOUR = 4;

    private static final long MOST_TAPS = 1 << 20;

    private ConvOperands() {}

    static @Nullable Outcome declined(Tensor out, Tensor x, Tensor weight, @Nullable Tensor bias, Tensor state) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(x);
        no = no != null ? no : Operand.dense(weight);
        no = no != null ? no : Operand.dense(bias);
        no = no != null ? no : Operand.dense(state);
        if (no != null) {
            return no;
        }
        return weight.dim(1) > MOST_TAPS ? Declines.LONG_ROW : null;
    }

    static void uses(LaunchQueue cuda, Tensor out, Tensor x, Tensor weight, @Nullable Tensor bias, Tensor state) {
        cuda.uses(out, x, weight, state);
        if (bias != null) {
            cuda.uses(bias);
        }
    }

    /** Whether threads can have four channels of four taps each. */
    static boolean four(Tensor out, Tensor x, Tensor weight, @Nullable Tensor bias, Tensor state) {
        return weight.dim(1) == FOUR
                && Widths.fits(out, FOUR)
                && Widths.fits(x, FOUR)
                && Widths.fits(weight, FOUR)
                && (bias == null || Widths.fits(bias, FOUR))
                && (state.segment().address() + state.offset()) % (FOUR * Float.BYTES) == 0;
    }

    /** The first arguments of both kernels. */
    static Launch begin(
            Launch launch, Tensor out, Tensor x, Tensor weight, @Nullable Tensor bias, Tensor state, boolean silu) {
        return launch.tensor(out)
                .tensor(x)
                .tensor(weight)
                .i32(Operand.type(weight))
                .optional(bias)
                .i32(Operand.type(bias))
                .tensor(state)
                .i64(x.dim(1))
                .i32((int) weight.dim(1))
                .i32(silu ? 1 : 0);
    }

    /** Blocks over the channels. */
    static long across(Tensor x, boolean four) {
        return Math.ceilDiv(x.dim(1), (long) THREADS * (four ? FOUR : 1));
    }
}
