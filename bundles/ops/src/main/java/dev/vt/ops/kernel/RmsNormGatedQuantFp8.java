package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code rms_norm_gated_quant_fp8}: {@code rms_norm_gated} to bf16, then {@link QuantFp8Static}. out i8 of x's shape;
 * x and gate of one shape, rank 2 or 3, the first dimension of gate with any stride; weight[D].
 */
@FunctionalInterface
public interface RmsNormGatedQuantFp8 {
    Outcome run(Queue queue, Tensor out, Tensor x, Tensor gate, Tensor weight, float eps, boolean sigmoid, float scale);
}
