package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Widths;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.ApplyTopKTopP;
import org.jspecify.annotations.Nullable;

/**
 * {@code apply_top_k_top_p}, exact: ranks are by value, then by index, a NaN first. A k below 1 or not below V keeps all; so does a
 * p that is not below 1. A p of 0 or less keeps one. Where the probabilities of what k left are not defined p keeps all. A team of
 * blocks a row, as long as there are few; then a block.
 */
final class ApplyTopKTopPKernel implements ApplyTopKTopP {
    /** The kernel's tables: a count and two sums for each value of a digit, and room for the elements that are left. */
    private static final int SHARED = 1024 * 3 * Integer.BYTES + 4096 * (Integer.BYTES + Float.BYTES);

    /** Sums of shares of so many elements fit 32 bits. */
    private static final long LONGEST = 1 << 18;

    /** Rows that have a team each: more would not all be under way at once. */
    private static final long FEW = 16;

    private final Widths alone;
    private final Widths team;

    ApplyTopKTopPKernel(KernelModule module) {
        alone = new Widths(module, "top_k_top_p_alone", 4);
        team = new Widths(module, "top_k_top_p_team", 4);
    }

    @Override
    public Outcome run(Queue queue, Tensor logits, @Nullable Tensor k, @Nullable Tensor p) {
        Outcome no = Operand.dense(logits);
        no = no != null ? no : Operand.dense(k);
        no = no != null ? no : Operand.dense(p);
        if (no != null) {
            return no;
        }
        if (logits.dim(0) > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        if (logits.dim(1) > (p == null ? Rows.LONGEST : LONGEST)) {
            return Declines.LONG_ROW;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            uses(cuda, logits, k, p);
        }
        if (logits.elements() > 0 && (k != null || p != null)) {
            long rows = logits.dim(0);
            boolean few = rows <= FEW;
            try (Launch launch = cuda.launch((few ? team : alone).of(alone.fits(logits)))) {
                launch.tensor(logits).optional(k).optional(p).i64(logits.dim(1));
                if (few) {
                    Rows.largeTeam(launch, rows, SHARED);
                } else {
                    launch.run(rows, 1, 1, Rows.BLOCK, SHARED);
                }
            }
        }
        return Outcome.SERVED;
    }

    private static void uses(LaunchQueue cuda, Tensor logits, @Nullable Tensor k, @Nullable Tensor p) {
        cuda.uses(logits);
        if (k != null) {
            cuda.uses(k);
        }
        if (p != null) {
            cuda.uses(p);
        }
    }
}
