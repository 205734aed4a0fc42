package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code rms_norm_gated}: out = x / sqrt(mean(x^2) + eps) * weight * act(gate) over the last dimension, where act is silu,
 * or the sigmoid. x, out and gate of one shape, rank 2 or 3, the first dimension of gate with any stride; weight[D]. Source: Zhang
 * and Sennrich, Root Mean Square Layer Normalization, 2019; Dao and Gu, Transformers are SSMs, 2024, for the gate.
 */
@FunctionalInterface
public interface RmsNormGated {
    Outcome run(Queue queue, Tensor out, Tensor x, Tensor gate, Tensor weight, float eps, boolean sigmoid);
}
