package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code gdn_post_conv}: {@code gdn_conv_split}, {@code l2_norm} of q and k, and {@code gdn_g_beta} in one, equal to them bit by bit.
 * q, k [T,Hk,Dk], v [T,Hv,Dv], g, beta [T,Hv], x [T, 2*Hk*Dk + Hv*Dv], all f32; a, b, aLog, dtBias as in {@code gdn_g_beta}. Source:
 * Yang et al., Gated Delta Networks, 2024.
 */
@FunctionalInterface
public interface GdnPostConv {
    Outcome run(
            Queue queue,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor x,
            Tensor a,
            Tensor b,
            Tensor aLog,
            Tensor dtBias,
            float eps);
}
