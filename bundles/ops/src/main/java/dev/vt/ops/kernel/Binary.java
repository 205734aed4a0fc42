package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code add}: out = a + b, b of a's shape, or [D] added to every row of a; out may be the same view as a. Also of
 * {@code sigmoid_gate_bf16}: out = a * sigmoid(b), all of one shape, out bf16.
 */
@FunctionalInterface
public interface Binary {
    Outcome run(Queue queue, Tensor out, Tensor a, Tensor b);
}
