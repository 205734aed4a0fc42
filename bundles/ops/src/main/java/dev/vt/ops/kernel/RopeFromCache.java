package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code rope_from_cache}: rotates q[T,Hq,D] and, if present, k[T,Hk,D] in place by the rows positions[t] of
 * cosSin[P,rotaryDim]. Pairs are (i, i + rotaryDim / 2), or (2i, 2i + 1) when interleaved (GPT-J's way). q and k may have
 * padded rows. A position outside the table fails the call. With sections positions are [3,T], and each pair has the one of its section.
 */
@FunctionalInterface
public interface RopeFromCache {
    Outcome run(
            Queue queue,
            Tensor q,
            @Nullable Tensor k,
            Tensor cosSin,
            Tensor positions,
            boolean interleaved,
            @Nullable MropeSections sections);
}
