package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code apply_penalties}: in place on logits[R,V] (f32). Tokens that the prompt mask or the output mask (i8 [R,V])
 * names are divided (positive logit) or multiplied (negative) by repetition[r]; then frequency[r] * counts (i32 [R,V]) and
 * presence[r] for each token with a count are taken off.
 */
@FunctionalInterface
public interface ApplyPenalties {
    Outcome run(
            Queue queue,
            Tensor logits,
            Tensor promptMask,
            Tensor outputMask,
            Tensor counts,
            Tensor repetition,
            Tensor frequency,
            Tensor presence);
}
