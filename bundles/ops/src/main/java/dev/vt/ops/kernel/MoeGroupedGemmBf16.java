package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code moe_grouped_gemm_bf16}: out[p] = act[rowMap[p]] * W[expertIds[p]], where W[e] is the contiguous bf16 matrix [K,N]
 * at the device address weights[e]. Without a row map row p of act is used. out[P,N], act[R,K], expertIds[P] i32, rowMap[P] i32,
 * weights[E] i64.
 */
@FunctionalInterface
public interface MoeGroupedGemmBf16 {
    Outcome run(Queue queue, Tensor out, Tensor act, Tensor expertIds, @Nullable Tensor rowMap, Tensor weights);
}
