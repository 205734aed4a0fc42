package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code attn_gate_split}: head h of row t of qGate[T,2*Hq*D] is D elements of q, then D elements of gate; both go to
 * tensors [T,Hq,D] of f32.
 */
@FunctionalInterface
public interface AttnGateSplit {
    Outcome run(Queue queue, Tensor q, Tensor gate, Tensor qGate);
}
