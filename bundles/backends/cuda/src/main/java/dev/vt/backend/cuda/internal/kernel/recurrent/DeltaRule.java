package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Widths;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import org.jspecify.annotations.Nullable;

/**
 * The gated delta rule: one kernel for its three ops, compiled for some lengths of a state's rows, which threads keep in registers.
 * Immutable.
 */
final class DeltaRule {
    private static final int THREADS = 256;

    /** Rows of a state that a block works on. */
    private static final long ROWS = 32;

    /** Elements that threads read at once where rows are of a length that a kernel is made for. */
    private static final int WIDTH = 4;

    private static final int LONGEST = 512;

    private final KernelFunction[] whole;
    private final KernelFunction[] upTo;

    DeltaRule(KernelModule module) {
        whole = new KernelFunction[] {
            module.function("delta_rule_64"), module.function("delta_rule_128"), module.function("delta_rule_256")
        };
        upTo = new KernelFunction[] {
            module.function("delta_rule_up_to_128"),
            module.function("delta_rule_up_to_256"),
            module.function("delta_rule_up_to_512")
        };
    }

    /** Null if the rule can be followed, else why not. */
    static @Nullable Outcome declined(Tensor out, Tensor q, Tensor k, Tensor v, Tensor state) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(q);
        no = no != null ? no : Operand.dense(k);
        no = no != null ? no : Operand.dense(v);
        no = no != null ? no : Operand.dense(state);
        if (no != null) {
            return no;
        }
        return state.dim(3) > LONGEST ? Declines.LONG_ROW : null;
    }

    /** The kernel for rows of that length. */
    KernelFunction of(Tensor q, Tensor k, Tensor state) {
        long width = state.dim(3);
        boolean fits = Widths.fits(q, WIDTH) && Widths.fits(k, WIDTH) && Widths.fits(state, WIDTH);
        if (fits && (width == 64 || width == 128 || width == 256)) {
            return whole[(int) (width / 128)];
        }
        return upTo[width <= 128 ? 0 : width <= 256 ? 1 : 2];
    }

    /** A type among those of all operands. */
    static int type(@Nullable Tensor t, int place) {
        return Operand.type(t) << 4 * place;
    }

    /** Which tokens work on which states: either has starts, or slots, or neither. */
    static void run(
            Launch launch, Tensor out, @Nullable Tensor starts, @Nullable Tensor slots, Tensor state, FaultSite site) {
        long steps = starts == null ? out.dim(0) : state.dim(0);
        launch.optional(starts)
                .optional(slots)
                .i64(steps)
                .i64(state.dim(0))
                .i64(out.dim(0))
                .i32(site.number())
                .run(
                        Math.max(1, Math.ceilDiv(out.dim(2), ROWS) * out.dim(1)),
                        Math.clamp(steps, 1, Grid.MAX_Y),
                        THREADS);
    }
}
