package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code matmul_nvfp4}: out = act * W transposed, where W[n,k] = bf16(packed[n,k] * scale[n,k/16] * scale2). act[M,K],
 * packed[N,K/2] i8, scale[N,K/16] i8, out[M,N]; K is a multiple of 16. The encodings are those of {@link ScaleLayout}.
 */
@FunctionalInterface
public interface MatmulNvfp4 {
    Outcome run(Queue queue, Tensor out, Tensor act, Tensor packed, Tensor scale, float scale2);
}
