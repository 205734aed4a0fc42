package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code greedy_argmax}: tokenIds[r] (i64) = index of the largest of logits[r] (f32, f16 or bf16), the lowest on a tie;
 * a NaN counts as the largest.
 */
@FunctionalInterface
public interface GreedyArgmax {
    Outcome run(Queue queue, Tensor tokenIds, Tensor logits);
}
