package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code qkv_split}: splits the columns of qkv[T, Q+K+V] into q[T,Q], k[T,K], v[T,V], all of one dtype (f32 or bf16).
 * Kernel of {@code gdn_conv_split}, where q and k are of one width and all is f32.
 */
@FunctionalInterface
public interface QkvSplit {
    Outcome run(Queue queue, Tensor q, Tensor k, Tensor v, Tensor qkv);
}
