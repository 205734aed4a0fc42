package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code scaled_fp4_quant} (x[M,K]) and {@code silu_and_mul_fp4_quant} (x[M,2K]): packed[M,K/2] i8 and the block scales, in
 * the given layout. {@link ScaleLayout} has the encodings.
 */
@FunctionalInterface
public interface UnaryFp4Quant {
    Outcome run(Queue queue, Tensor packed, Tensor scale, Tensor x, float globalScale, ScaleLayout layout);
}
