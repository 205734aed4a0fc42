package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code gdn_prefill}: the gated delta rule over the tokens of several sequences at once. q, k [T,Hk,Dk], v, out [T,Hv,Dv],
 * g, beta [T,Hv] (f32), state [N,Hv,Dv,Dk] (f32, read and written), queryStartLoc [N+1] (i32). Value head h reads key head
 * {@code h / (Hv / Hk)}. Source: Yang et al., Gated Delta Networks, 2024.
 */
@FunctionalInterface
public interface GdnPrefill {
    Outcome run(
            Queue queue,
            Tensor out,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor state,
            Tensor queryStartLoc,
            float scale);
}
