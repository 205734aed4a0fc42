package dev.vt.model;

import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * The weights of one layer. Views; whoever loaded the weights owns the memory.
 *
 * @param attentionNorm [H]
 * @param query [heads * head size, H]
 * @param key [kv heads * head size, H]
 * @param value [kv heads * head size, H]
 * @param queryNorm [head size], or null where the architecture has none
 * @param keyNorm [head size], or null where the architecture has none
 * @param attentionOutput [H, heads * head size]
 * @param ffnNorm [H]
 * @param gate [F, H]
 * @param up [F, H]
 * @param down [H, F]
 */
record LayerWeights(
        Tensor attentionNorm,
        Projection query,
        Projection key,
        Projection value,
        @Nullable Tensor queryNorm,
        @Nullable Tensor keyNorm,
        Projection attentionOutput,
        Tensor ffnNorm,
        Projection gate,
        Projection up,
        Projection down) {}
