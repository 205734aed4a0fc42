package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code causal_conv1d_fwd}: a causal convolution of each channel over the tokens of several sequences at once.
 * x, out [T,C], weight [C,K], bias [C] or null, state [N,C,K-1] (f32, read and written: the last inputs of each sequence, oldest first),
 * queryStartLoc [N+1] (i32), hasInitialState [N] (i8 or i32). Source: Gu and Dao, Mamba, 2023.
 */
@FunctionalInterface
public interface CausalConv1dFwd {
    Outcome run(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor weight,
            @Nullable Tensor bias,
            Tensor state,
            Tensor queryStartLoc,
            Tensor hasInitialState,
            boolean silu);
}
