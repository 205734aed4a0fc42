package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code concat_mla_nope_rope}: out[T,H,N+P] = the N columns of nope[T,H,N], then the P columns of rope[T,H,P] or of its
 * one head rope[T,1,P]. All of one dtype; the strides of the first two dimensions are free.
 */
@FunctionalInterface
public interface ConcatMlaNopeRope {
    Outcome run(Queue queue, Tensor out, Tensor nope, Tensor rope);
}
