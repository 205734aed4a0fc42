package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code moe_grouped_gemm_nvfp4}: out[p] = act[rowMap[p]] * W transposed of expert e = expertIds[p], where W is that of
 * {@link MatmulNvfp4} with the contiguous matrices [N,K/2] at the device address packed[e] and [N,K/16] at scales[e], and with
 * scale2[e]. Without a row map row p of act is used. out[P,N], act[R,K], expertIds[P] i32, rowMap[P] i32, packed[E] i64,
 * scales[E] i64, scale2[E] f32.
 */
@FunctionalInterface
public interface MoeGroupedGemmNvfp4 {
    Outcome run(
            Queue queue,
            Tensor out,
            Tensor act,
            Tensor expertIds,
            @Nullable Tensor rowMap,
            Tensor packed,
            Tensor scales,
            Tensor scale2);
}
