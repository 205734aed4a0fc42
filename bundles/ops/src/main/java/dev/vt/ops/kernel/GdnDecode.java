package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code gdn_decode}: one token more of each sequence of {@code gdn_prefill}. q, k [B,Hk,Dk], v, out [B,Hv,Dv], g, beta [B,Hv]
 * (f32), state [B,Hv,Dv,Dk], or [slots,Hv,Dv,Dk] with stateIndices [B] (i32); a negative slot gives a row of zeros and touches no
 * state. Source: Yang et al., Gated Delta Networks, 2024.
 */
@FunctionalInterface
public interface GdnDecode {
    Outcome run(
            Queue queue,
            Tensor out,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor state,
            @Nullable Tensor stateIndices,
            float scale);
}
