package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code gdn_g_beta}: g = -exp(aLog) * softplus(a + dtBias) and beta = sigmoid(b). g, beta [T,Hv] (f32), a, b [T,Hv] (f32 or bf16,
 * rows may be padded), aLog, dtBias [Hv]. Source: Yang et al., Gated Delta Networks, 2024.
 */
@FunctionalInterface
public interface GdnGBeta {
    Outcome run(Queue queue, Tensor g, Tensor beta, Tensor a, Tensor b, Tensor aLog, Tensor dtBias);
}
