package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code matmul} (out[M,N] = a[M,K] * b[K,N]), {@code matmul_bt} and {@code matmul_bt_quant}
 * (out[M,N] = a[M,K] * b[N,K] transposed; in the latter b is in a block encoding). a and out may have padded rows in
 * {@code matmul_bt} and {@code matmul_bt_quant}. Also of {@code batched_matmul} (out[G,M,N] = a[G,M,K] * b[G,K,N]; the strides
 * of the first two dimensions are free).
 */
@FunctionalInterface
public interface Matmul {
    Outcome run(Queue queue, Tensor out, Tensor a, Tensor b);
}
