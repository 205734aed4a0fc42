package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code moe_combine}: out[t] = sum over k of weights[t,k] * expertOut[t,k], then + shared[t] where there is one.
 * expertOut[T,K,H], weights[T,K] f32, shared[T,H], out[T,H].
 */
@FunctionalInterface
public interface MoeCombine {
    Outcome run(Queue queue, Tensor out, Tensor expertOut, Tensor weights, @Nullable Tensor shared);
}
