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
import dev.vt.ops.kernel.ApplyMinP;

/** {@code apply_min_p}: a team of blocks a row. */
final class ApplyMinPKernel implements ApplyMinP {
    private final Widths widths;

    ApplyMinPKernel(KernelModule module) {
        widths = new Widths(module, "apply_min_p", 4);
    }

    @Override
    public Outcome run(Queue queue, Tensor logits, Tensor minP) {
        Outcome no = Operand.dense(logits);
        no = no != null ? no : Operand.dense(minP);
        if (no != null) {
            return no;
        }
        if (logits.dim(0) > Rows.MOST) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(logits, minP);
        }
        if (logits.elements() > 0) {
            try (Launch launch = cuda.launch(widths.of(widths.fits(logits)))) {
                launch.tensor(logits).tensor(minP).i64(logits.dim(1));
                Rows.team(launch, logits.dim(0), 1);
            }
        }
        return Outcome.SERVED;
    }
}
