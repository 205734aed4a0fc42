package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Widths;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.RandomSample;

/**
 * {@code random_sample}: a team of blocks a row. The noise is that of the CPU's kernel, bit by bit, and the scores that decide are made in
 * double, so the same probabilities and seeds give the same tokens.
 */
final class RandomSampleKernel implements RandomSample {
    private final Widths widths;

    RandomSampleKernel(KernelModule module) {
        widths = new Widths(module, "random_sample", 4);
    }

    @Override
    public Outcome run(Queue queue, Tensor tokenIds, Tensor probs, Tensor seeds) {
        Outcome no = Operand.dense(tokenIds);
        no = no != null ? no : Operand.dense(probs);
        no = no != null ? no : Operand.dense(seeds);
        if (no != null) {
            return no;
        }
        if (probs.dim(1) == 0) {
            return Declines.NO_COLUMNS;
        }
        if (probs.dim(0) > Rows.MOST) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(tokenIds, probs, seeds);
        }
        if (probs.dim(0) > 0) {
            try (Launch launch = cuda.launch(widths.of(widths.fits(probs)))) {
                launch.tensor(tokenIds).tensor(probs).tensor(seeds).i64(probs.dim(1));
                Rows.team(launch, probs.dim(0), 1);
            }
        }
        return Outcome.SERVED;
    }
}
