package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code moe_router_top_k}: the k best experts of each row of logits[T,E], best first, the lower index first on a tie, to
 * indices[T,k] (i32), and their weights to weights[T,k] (f32). Scores are the softmax of a row or the sigmoids of its logits; the
 * choice is by logit, or by score + bias[E] (f32) where there is a bias. A NaN counts as the largest; the weight of an expert whose
 * score is NaN is NaN. {@link RouterParams} says the rest.
 */
@FunctionalInterface
public interface MoeRouterTopK {
    Outcome run(Queue queue, Tensor weights, Tensor indices, Tensor logits, @Nullable Tensor bias, RouterParams params);
}
