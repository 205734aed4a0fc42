package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code moe_grouped_gemm_nvfp4_marlin}: the products of an expert layer whose weights are in the interleaved order of
 * Marlin; {@link MarlinLayout} has the formulas. out[T*topK,N] bf16, act[T,K] bf16, packed[E,K/16,2N] i32, scale[E,K/16,N] i8,
 * scale2[E] f32, sortedTokenIds[S*blockSize] i32, expertIds[S] i32, numTokensPostPadded[1] i32, topkWeights[T,topK] f32 or
 * absent, workspace[1 or more] i32.
 */
@FunctionalInterface
public interface MoeGroupedGemmNvfp4Marlin {
    Outcome run(
            Queue queue,
            Tensor out,
            Tensor act,
            Tensor packed,
            Tensor scale,
            Tensor scale2,
            Tensor sortedTokenIds,
            Tensor expertIds,
            Tensor numTokensPostPadded,
            @Nullable Tensor topkWeights,
            Tensor workspace,
            int blockSize,
            int topK);
}
