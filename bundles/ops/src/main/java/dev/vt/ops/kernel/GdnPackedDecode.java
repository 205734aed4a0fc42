package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code gdn_packed_decode}: {@code gdn_decode} from what the convolution and the projections give. mixedQkv [B, 2*Hk*Dk + Hv*Dv],
 * a, b [B,Hv], aLog, dtBias [Hv], state [slots,Hv,Dv,Dk] (f32, read and written), stateIndices [B] (i32), out [B,Hv,Dv]. q and k are
 * normalised with eps as in {@code l2_norm}, g and beta made as in {@code gdn_g_beta}. Source: Yang et al., Gated Delta Networks, 2024.
 */
@FunctionalInterface
public interface GdnPackedDecode {
    Outcome run(
            Queue queue,
            Tensor out,
            Tensor mixedQkv,
            Tensor a,
            Tensor b,
            Tensor aLog,
            Tensor dtBias,
            Tensor state,
            Tensor stateIndices,
            float scale,
            float eps);
}
