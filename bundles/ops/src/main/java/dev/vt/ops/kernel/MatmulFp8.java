package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code matmul_fp8_cutlass} and {@code matmul_fp8_cublaslt}: out = alpha * a * b transposed; a[M,K], b[N,K] e4m3 bytes in i8,
 * out[M,N] f32 or bf16; K and N are multiples of 16.
 */
@FunctionalInterface
public interface MatmulFp8 {
    Outcome run(Queue queue, Tensor out, Tensor a, Tensor b, float alpha);
}
