package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code moe_combine_gate}: {@code moe_combine} whose shared term is that of {@code shared_expert_gate}, the rounding of
 * that term to bf16 included. expertOut[T,K,H], weights[T,K] f32, shared[T,H] f32, gateLogits[T,1] f32, out[T,H].
 */
@FunctionalInterface
public interface MoeCombineGate {
    Outcome run(Queue queue, Tensor out, Tensor expertOut, Tensor weights, Tensor shared, Tensor gateLogits);
}
