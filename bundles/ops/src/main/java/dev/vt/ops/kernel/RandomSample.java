package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code random_sample}: tokenIds[r] (i64) = argmax of probs[r] / e where e is exponentially distributed noise from a
 * splitmix64 hash of (seeds[r], row, column). probs[R,V] f32, seeds[R] i64.
 */
@FunctionalInterface
public interface RandomSample {
    Outcome run(Queue queue, Tensor tokenIds, Tensor probs, Tensor seeds);
}
