package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code silu_mul_fp4_quant} (a: gate, b: up) and {@code sigmoid_gate_fp4_quant} (a: attention, b: gate), both [M,K]:
 * packed[M,K/2] i8 and the block scales, in the given layout. {@link ScaleLayout} has the encodings.
 */
@FunctionalInterface
public interface BinaryFp4Quant {
    Outcome run(Queue queue, Tensor packed, Tensor scale, Tensor a, Tensor b, float globalScale, ScaleLayout layout);
}
