package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code causal_conv1d_update}: one token more of each sequence of {@code causal_conv1d_fwd}. x, out [B,C], weight [C,K], bias
 * [C] or null, state [B,C,K-1], or [slots,C,K-1] with stateIndices [B] (i32): row b works on slot stateIndices[b]; a negative slot gives
 * a row of zeros and touches no state. Source: Gu and Dao, Mamba, 2023.
 */
@FunctionalInterface
public interface CausalConv1dUpdate {
    Outcome run(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor weight,
            @Nullable Tensor bias,
            Tensor state,
            @Nullable Tensor stateIndices,
            boolean silu);
}
