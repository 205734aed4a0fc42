package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code gdn_state_scatter}: cache[stateIndices[n]] = state[n]; a negative index is skipped, of equal ones the last counts. cache
 * [slots,...] (f32 or bf16, slots may be padded), state [N,...] (f32), stateIndices [N] (i32).
 */
@FunctionalInterface
public interface GdnStateScatter {
    Outcome run(Queue queue, Tensor cache, Tensor state, Tensor stateIndices);
}
