package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.ApplyTokenMask;

/** {@code apply_token_mask}. */
final class ApplyTokenMaskKernel implements ApplyTokenMask {
    private final LogitPlaces places;

    ApplyTokenMaskKernel(KernelModule module) {
        places = new LogitPlaces(module, "apply_token_mask", FaultSite.TOKEN_MASK_ROWS);
    }

    @Override
    public Outcome run(Queue queue, Tensor logits, Tensor rows, Tensor cols) {
        Outcome no = LogitPlaces.declined(logits, rows, cols, null);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(logits, rows, cols);
        }
        places.run(cuda, logits, rows, cols, null);
        return Outcome.SERVED;
    }
}
