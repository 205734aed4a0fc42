package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/** Kernel of {@code l2_norm}: out = x / sqrt(sum(x^2) + eps) over the last dimension; x and out of one shape, rank 2 or 3. */
@FunctionalInterface
public interface L2Norm {
    Outcome run(Queue queue, Tensor out, Tensor x, float eps);
}
