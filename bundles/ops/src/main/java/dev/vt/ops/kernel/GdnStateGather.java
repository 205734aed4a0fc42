package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code gdn_state_gather}: state[n] = cache[stateIndices[n]], or zeros where the index is negative. cache [slots,...] (f32 or
 * bf16, slots may be padded), state [N,...] (f32), stateIndices [N] (i32).
 */
@FunctionalInterface
public interface GdnStateGather {
    Outcome run(Queue queue, Tensor state, Tensor cache, Tensor stateIndices);
}
