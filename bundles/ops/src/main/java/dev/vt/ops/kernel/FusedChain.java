package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code fused_chain}: runs the steps of a chain on each row of x[T,H], in one pass over memory. out[T,H], weight[H],
 * residual[T,H] read and written; weight and residual where the chain names them. Each step rounds its result to the dtype of
 * what it is stored in, so the bytes are those of the ops one after the other.
 */
@FunctionalInterface
public interface FusedChain {
    Outcome run(
            Queue queue,
            Tensor out,
            Tensor x,
            @Nullable Tensor weight,
            @Nullable Tensor residual,
            Chain chain,
            float eps);
}
