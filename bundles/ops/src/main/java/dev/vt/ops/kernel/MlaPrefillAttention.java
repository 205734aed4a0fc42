package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code mla_prefill_attention}: attention with as many key heads as query heads over several sequences, with heads of
 * unequal width: query[Tq,H,D], key[Tk,H,D], value[Tk,H,Dv], out[Tq,H,Dv]. Sequence r owns query rows cuSeqlensQ[r] to
 * cuSeqlensQ[r+1] and key rows cuSeqlensK[r] to cuSeqlensK[r+1]; when causal its last query row is its last key row
 * (bottom-right). lse[H,Tq] takes the natural logarithm of the sum of exp(score), negative infinity where nothing is seen.
 * Source: DeepSeek-AI, DeepSeek-V2, 2024.
 */
@FunctionalInterface
public interface MlaPrefillAttention {
    Outcome run(
            Queue queue,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Tensor key,
            Tensor value,
            Tensor cuSeqlensQ,
            Tensor cuSeqlensK,
            float scale,
            boolean causal);
}
