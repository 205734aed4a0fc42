package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.GdnPrefill;

/** {@code gdn_prefill}: heads, rows of states and sequences side by side, tokens one after the other. */
final class GdnPrefillKernel implements GdnPrefill {
    private final DeltaRule rule;

    GdnPrefillKernel(DeltaRule rule) {
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
            Tensor queryStartLoc,
            float scale) {
        Outcome no = SeparateInputs.declined(out, q, k, v, g, beta, state, queryStartLoc);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, q, k, v, g, beta, state, queryStartLoc);
        }
        try (Launch launch = cuda.launch(rule.of(q, k, state))) {
            SeparateInputs.begin(launch, out, q, k, v, g, beta, state, scale);
            DeltaRule.run(launch, out, queryStartLoc, null, state, FaultSite.GDN_PREFILL_STARTS);
        }
        return Outcome.SERVED;
    }
}
