package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code layer_norm}: (x - mean) / sqrt(var + eps) * w + b over the last dimension, biased variance; weight and bias
 * may be absent. Source: Ba, Kiros and Hinton, Layer Normalization, 2016.
 */
@FunctionalInterface
public interface LayerNorm {
    Outcome run(Queue queue, Tensor out, Tensor x, @Nullable Tensor weight, @Nullable Tensor bias, float eps);
}
