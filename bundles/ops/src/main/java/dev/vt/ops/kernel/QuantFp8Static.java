package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code quant_fp8_static}: out = e4m3(x / scale), saturating; x[M,K], out[M,K] i8.
 */
@FunctionalInterface
public interface QuantFp8Static {
    Outcome run(Queue queue, Tensor out, Tensor x, float scale);
}
