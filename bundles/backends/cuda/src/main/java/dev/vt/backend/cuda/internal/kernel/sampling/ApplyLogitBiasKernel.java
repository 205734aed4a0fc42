package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.ApplyLogitBias;

/** {@code apply_logit_bias}: of those that name one element the first adds all, in their order. */
final class ApplyLogitBiasKernel implements ApplyLogitBias {
    private final LogitPlaces places;

    ApplyLogitBiasKernel(KernelModule module) {
        places = new LogitPlaces(module, "apply_logit_bias", FaultSite.LOGIT_BIAS_ROWS);
    }

    @Override
    public Outcome run(Queue queue, Tensor logits, Tensor rows, Tensor cols, Tensor bias) {
        Outcome no = LogitPlaces.declined(logits, rows, cols, bias);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(logits, rows, cols, bias);
        }
        places.run(cuda, logits, rows, cols, bias);
        return Outcome.SERVED;
    }
}
