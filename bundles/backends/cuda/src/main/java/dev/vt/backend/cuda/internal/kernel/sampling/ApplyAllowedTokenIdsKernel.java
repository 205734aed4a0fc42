package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Widths;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.ApplyAllowedTokenIds;

/** {@code apply_allowed_token_ids}: reads the mask, and writes only what it excludes. */
final class ApplyAllowedTokenIdsKernel implements ApplyAllowedTokenIds {
    private final Widths widths;

    ApplyAllowedTokenIdsKernel(KernelModule module) {
        widths = new Widths(module, "apply_allowed_token_ids", 4);
    }

    @Override
    public Outcome run(Queue queue, Tensor logits, Tensor mask) {
        Outcome no = Operand.dense(logits);
        no = no != null ? no : Operand.dense(mask);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(logits, mask);
        }
        long n = logits.elements();
        if (n > 0) {
            boolean fits = widths.fits(mask) && widths.fits(logits);
            try (Launch launch = cuda.launch(widths.of(fits))) {
                launch.tensor(logits).tensor(mask).i64(n).run(Grid.over(n / widths.width(fits)), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
