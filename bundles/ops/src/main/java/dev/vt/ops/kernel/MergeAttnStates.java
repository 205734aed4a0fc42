package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code merge_attn_states}: out[T,H,D] = the attention over two sets of keys, from the attention over each and the
 * logarithms lse[H,T] of their sums of exp(score). An lse of positive infinity counts as negative infinity; where both are, out
 * is the prefix. Source: Dao et al., FlashAttention, 2022.
 */
@FunctionalInterface
public interface MergeAttnStates {
    Outcome run(
            Queue queue,
            Tensor out,
            @Nullable Tensor outLse,
            Tensor prefix,
            Tensor prefixLse,
            Tensor suffix,
            Tensor suffixLse);
}
