package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.GdnDecode;
import org.jspecify.annotations.Nullable;

/** {@code gdn_decode}. */
final class GdnDecodeKernel implements GdnDecode {
    private final DeltaRule rule;

    GdnDecodeKernel(DeltaRule rule) {
        this.rule = rule;
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor state,
            @Nullable Tensor stateIndices,
            float scale) {
        Outcome no = SeparateInputs.declined(out, q, k, v, g, beta, state, stateIndices);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, q, k, v, g, beta, state);
            if (stateIndices != null) {
                cuda.uses(stateIndices);
            }
        }
        if (out.dim(0) > 0) {
            try (Launch launch = cuda.launch(rule.of(q, k, state))) {
                SeparateInputs.begin(launch, out, q, k, v, g, beta, state, scale);
                DeltaRule.run(launch, out, null, stateIndices, state, FaultSite.GDN_DECODE_SLOTS);
            }
        }
        return Outcome.SERVED;
    }
}
