package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.device.Queue;
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
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.GreedyRejectionSample;
import org.jspecify.annotations.Nullable;

/**
 * {@code greedy_rejection_sample}: the best token of each row, a team of blocks a row, is left where it is to stand; then a thread a request
 * looks how many do.
 */
final class GreedyRejectionSampleKernel implements GreedyRejectionSample {
    private final Widths rows;
    private final KernelFunction counts;

    GreedyRejectionSampleKernel(KernelModule module) {
        rows = new Widths(module, "rejection_rows", 4);
        counts = module.function("rejection_counts");
    }

    @Override
    public Outcome run(Queue queue, Tensor sampled, Tensor num, Tensor logits, Tensor draft, Tensor cu) {
        Outcome no = declined(sampled, num, logits, draft, cu);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(sampled, num, logits, draft, cu);
        }
        long requests = sampled.dim(0);
        long width = sampled.dim(1);
        try (Launch launch = cuda.launch(rows.of(rows.fits(logits)))) {
            launch.tensor(sampled)
                    .tensor(logits)
                    .tensor(cu)
                    .i64(requests)
                    .i64(width)
                    .i64(logits.dim(0))
                    .i64(logits.dim(1))
                    .i32(FaultSite.REJECTION_BOUNDS.number());
            Rows.team(launch, Math.max(1, requests), Math.max(1, width));
        }
        if (requests > 0) {
            try (Launch launch = cuda.launch(counts)) {
                launch.tensor(sampled)
                        .tensor(num)
                        .tensor(draft)
                        .tensor(cu)
                        .i64(requests)
                        .i64(width)
                        .run(Grid.over(requests), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }

    private static @Nullable Outcome declined(Tensor sampled, Tensor num, Tensor logits, Tensor draft, Tensor cu) {
        Outcome no = Operand.dense(sampled);
        no = no != null ? no : Operand.dense(num);
        no = no != null ? no : Operand.dense(logits);
        no = no != null ? no : Operand.dense(draft);
        no = no != null ? no : Operand.dense(cu);
        if (no != null) {
            return no;
        }
        if (logits.dim(1) == 0 && logits.dim(0) != 0) {
            return Declines.NO_COLUMNS;
        }
        if (sampled.dim(0) > Rows.MOST || sampled.dim(1) > Grid.MAX_Y) {
            return Declines.MANY_ROWS;
        }
        return logits.dim(1) > Rows.LONGEST ? Declines.LONG_ROW : null;
    }
}
