package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code mul_col_vec_f32}: x[M,N] *= col[N] in every row, in place; f32.
 */
@FunctionalInterface
public interface MulColVecF32 {
    Outcome run(Queue queue, Tensor x, Tensor col);
}
