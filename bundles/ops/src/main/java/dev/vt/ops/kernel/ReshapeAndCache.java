package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code reshape_and_cache}: writes row t of k[T,Hkv,D] and v[T,Hkv,D] to slot slotMapping[t] (i64) of the paged
 * caches [blocks,blockSize,Hkv,D]; slot s is row s % blockSize of block s / blockSize; a negative slot is skipped.
 */
@FunctionalInterface
public interface ReshapeAndCache {
    Outcome run(Queue queue, Tensor k, Tensor v, Tensor kCache, Tensor vCache, Tensor slotMapping);
}
