package dev.vt.backend.cuda.internal.kernel.mixture;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Variants;
import dev.vt.backend.cuda.internal.kernel.support.Widths;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import org.jspecify.annotations.Nullable;

/** {@code moe_combine}, and with gates {@code moe_combine_gate}: one pass, sums in f32. Immutable. */
final class ExpertSum {
    /** Columns of a thread. */
    private static final int WIDTH = 8;

    private static final int THREADS = 128;

    private final Variants one;
    private final Variants many;

    ExpertSum(KernelModule module) {
        one = new Variants(module, "moe_combine_1");
        many = new Variants(module, "moe_combine_" + WIDTH);
    }

    Outcome run(
            Queue queue,
            Tensor out,
            Tensor expertOut,
            Tensor weights,
            @Nullable Tensor shared,
            @Nullable Tensor gates) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(expertOut);
        no = no != null ? no : Operand.dense(weights);
        no = no != null ? no : Operand.dense(shared);
        no = no != null ? no : Operand.dense(gates);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, expertOut, weights);
            if (shared != null) {
                cuda.uses(shared);
            }
            if (gates != null) {
                cuda.uses(gates);
            }
        }
        if (out.elements() > 0) {
            launch(cuda, out, expertOut, weights, shared, gates);
        }
        return Outcome.SERVED;
    }

    private void launch(
            LaunchQueue cuda,
            Tensor out,
            Tensor expertOut,
            Tensor weights,
            @Nullable Tensor shared,
            @Nullable Tensor gates) {
        boolean fits = Widths.fits(out, WIDTH)
                && Widths.fits(expertOut, WIDTH)
                && (shared == null || Widths.fits(shared, WIDTH));
        long tokens = out.dim(0);
        long columns = out.dim(1);
        try (Launch launch = cuda.launch((fits ? many : one).of(expertOut, out))) {
            launch.tensor(out)
                    .tensor(expertOut)
                    .tensor(weights)
                    .optional(shared)
                    .i32(Operand.type(shared))
                    .optional(gates)
                    .i64(tokens)
                    .i64(weights.dim(1))
                    .i64(columns)
                    .run(
                            Math.ceilDiv(columns, (long) THREADS * (fits ? WIDTH : 1)),
                            Math.min(Grid.MAX_Y, tokens),
                            THREADS);
        }
    }
}
