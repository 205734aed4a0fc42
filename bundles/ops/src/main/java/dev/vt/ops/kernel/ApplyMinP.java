package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code apply_min_p}: masks logits[R,V] (f32) in place with negative infinity where the probability is below
 * minP[r] (f32) times the largest one.
 */
@FunctionalInterface
public interface ApplyMinP {
    Outcome run(Queue queue, Tensor logits, Tensor minP);
}
