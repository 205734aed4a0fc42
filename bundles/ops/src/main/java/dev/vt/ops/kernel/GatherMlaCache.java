package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code gather_mla_cache}: copies rows of cache[blocks,blockSize,D] to rows of dst. Row t belongs to sequence
 * s = tokenToSeq[t] and is row seqStarts[s] + t - cuSeqLens[s] of it, found through blockTable[B,maxBlocks]; seqStarts, 0 when
 * absent, are multiples of blockSize. Integer operands are i32.
 */
@FunctionalInterface
public interface GatherMlaCache {
    Outcome run(
            Queue queue,
            Tensor dst,
            Tensor cache,
            Tensor blockTable,
            Tensor cuSeqLens,
            Tensor tokenToSeq,
            @Nullable Tensor seqStarts);
}
