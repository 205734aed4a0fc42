package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code rms_norm}: out = x / sqrt(mean(x^2) + eps) * w, or * (1 + w) in the gemma form. With a residual, residual
 * becomes residual + x first (one rounding to its type) and that sum is normalised. x, out, residual [T,H], weight [H].
 * Source: Zhang and Sennrich, Root Mean Square Layer Normalization, 2019.
 */
@FunctionalInterface
public interface RmsNorm {
    Outcome run(Queue queue, Tensor out, Tensor x, Tensor weight, @Nullable Tensor residual, float eps, boolean gemma);
}
