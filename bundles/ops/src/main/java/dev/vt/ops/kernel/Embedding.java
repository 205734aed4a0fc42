package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code embedding}: out[t] = table[ids[t]]. table[V,H] (f32, f16, bf16 or a block encoding), ids[T] i32 or i64,
 * out[T,H] f32 or bf16. An id outside the table fails the call.
 */
@FunctionalInterface
public interface Embedding {
    Outcome run(Queue queue, Tensor out, Tensor table, Tensor ids);
}
