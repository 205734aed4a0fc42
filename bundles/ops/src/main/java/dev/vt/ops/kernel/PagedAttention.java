package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code paged_attention}: attention of query[T,Hq,D] over the paged caches [blocks,blockSize,Hkv,D]. Request r owns
 * rows queryStartLoc[r] to queryStartLoc[r+1] and sees seqLens[r] cached tokens through blockTable[R,maxBlocks]; its last
 * query row is the last of those tokens (bottom-right causal). Integer operands are i32. Source: Kwon et al., Efficient Memory
 * Management for Large Language Model Serving with PagedAttention, 2023.
 */
@FunctionalInterface
public interface PagedAttention {
    Outcome run(
            Queue queue,
            Tensor out,
            Tensor query,
            Tensor kCache,
            Tensor vCache,
            Tensor blockTable,
            Tensor seqLens,
            Tensor queryStartLoc,
            AttentionParams params);
}
