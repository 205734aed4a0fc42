package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code mla_decode_attention}: query b of [B,Hq,D] sees the first seqLens[b] rows of cache[blocks,blockSize,D]
 * through blockTable[B,maxBlocks]; all heads share the rows. A key is a whole row, a value its first Dv columns; out is [B,Hq,Dv].
 * lse[B,Hq] takes the natural logarithm of the sum of exp(score), negative infinity where nothing is seen. Integer operands are
 * i32. Source: DeepSeek-AI, DeepSeek-V2, 2024.
 */
@FunctionalInterface
public interface MlaDecodeAttention {
    Outcome run(
            Queue queue,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Tensor cache,
            Tensor blockTable,
            Tensor seqLens,
            float scale);
}
