package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of ops with one input and a number: {@code mul_scalar} (x * value), {@code soft_cap} (value * tanh(x / value)).
 */
@FunctionalInterface
public interface UnaryScalar {
    Outcome run(Queue queue, Tensor out, Tensor x, double value);
}
