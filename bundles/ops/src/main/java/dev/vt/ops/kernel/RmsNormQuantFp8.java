package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code rms_norm_quant_fp8}: {@link RmsNorm} to bf16, then {@link QuantFp8Static}. out[T,H] i8; copy[T,H] bf16, where
 * present, gets what was quantised; the rest as in {@link RmsNorm}.
 */
@FunctionalInterface
public interface RmsNormQuantFp8 {
    Outcome run(
            Queue queue,
            Tensor out,
            @Nullable Tensor copy,
            Tensor x,
            Tensor weight,
            @Nullable Tensor residual,
            float eps,
            boolean gemma,
            float scale);
}
