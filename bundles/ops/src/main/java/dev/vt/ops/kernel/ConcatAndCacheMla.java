package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code concat_and_cache_mla}: writes row t of kvC[T,R], then row t of kPe[T,P], to slot slotMapping[t] (i64) of
 * cache[blocks,blockSize,R+P]; slot s is row s % blockSize of block s / blockSize; a negative slot is skipped. Source: DeepSeek-AI,
 * DeepSeek-V2, 2024.
 */
@FunctionalInterface
public interface ConcatAndCacheMla {
    Outcome run(Queue queue, Tensor kvC, Tensor kPe, Tensor cache, Tensor slotMapping);
}
