package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/** Kernel of {@code apply_token_mask}: logits[rows[i], cols[i]] = -inf, in place on logits[R,V] (f32); rows and cols [M] i32. */
@FunctionalInterface
public interface ApplyTokenMask {
    Outcome run(Queue queue, Tensor logits, Tensor rows, Tensor cols);
}
