package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code apply_logit_bias}: logits[rows[i], cols[i]] += bias[i], in place on logits[R,V] (f32), for i in ascending order, so
 * that what names one element twice is added twice. rows and cols [M] i32, bias [M] f32.
 */
@FunctionalInterface
public interface ApplyLogitBias {
    Outcome run(Queue queue, Tensor logits, Tensor rows, Tensor cols, Tensor bias);
}
