package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code matmul_nvfp4_fp4}: out = alpha * A * B transposed, A[m,k] = a[m,k] * aScale[m,k/16], B likewise; a[M,K/2], b[N,K/2],
 * scales linear, all i8; out[M,N]; K is a multiple of 16.
 */
@FunctionalInterface
public interface MatmulNvfp4Fp4 {
    Outcome run(Queue queue, Tensor out, Tensor a, Tensor aScale, Tensor b, Tensor bScale, float alpha);
}
