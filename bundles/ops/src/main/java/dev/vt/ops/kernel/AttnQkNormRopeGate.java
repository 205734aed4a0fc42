package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code attn_qk_norm_rope_gate}: {@code attn_gate_split} of qGate[T,2*Hq*D], then {@code rms_norm} in the gemma form
 * over each head of q and of k[T,Hk*D], then the rotation of {@code rope_from_cache} (NeoX pairs) by row t of cosSin[T,rotaryDim].
 * The bits are those of the single ops. Outputs are f32.
 */
@FunctionalInterface
public interface AttnQkNormRopeGate {
    Outcome run(
            Queue queue,
            Tensor qOut,
            Tensor kOut,
            Tensor gateOut,
            Tensor qGate,
            Tensor k,
            Tensor qNorm,
            Tensor kNorm,
            Tensor cosSin,
            float eps);
}
