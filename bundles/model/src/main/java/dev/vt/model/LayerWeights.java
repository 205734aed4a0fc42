package dev.vt.model;

import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * The weights of one layer. Views; whoever loaded the weights owns the memory.
 *
 * @param attentionNorm [H]
 * @param mixer what mixes the tokens of a sequence
 * @param ffnNorm [H]
 * @param gate [F, H]
 * @param up [F, H]
 * @param down [H, F]
 */
record LayerWeights(
        Tensor attentionNorm, Mixer mixer, Tensor ffnNorm, Projection gate, Projection up, Projection down) {
    /** Attention of one kind or the other. */
    sealed interface Mixer permits Attention, Delta {}

    /**
     * Full attention.
     *
     * @param query [heads * head size, H]; where attention is gated twice as many rows, those of a head's query before those of its
     *     gate
     * @param key [kv heads * head size, H]
     * @param value [kv heads * head size, H]
     * @param queryNorm [head size], or null where the architecture has none
     * @param keyNorm [head size], or null where the architecture has none
     * @param output [H, heads * head size]
     */
    record Attention(
            Projection query,
            Projection key,
            Projection value,
            @Nullable Tensor queryNorm,
            @Nullable Tensor keyNorm,
            Projection output)
            implements Mixer {}

    /**
     * Linear attention; Hk key heads of Dk elements, Hv value heads of Dv elements, C = 2 * Hk * Dk + Hv * Dv.
     *
     * @param qkv [C, H]
     * @param gate [Hv * Dv, H]
     * @param betaAlpha [2 * Hv, H]; for each key head the rows b of its value heads, then the rows a
     * @param convolution [C, taps]
     * @param aLog [Hv]
     * @param dtBias [Hv]
     * @param norm [Dv]
     * @param output [H, Hv * Dv]
     */
    record Delta(
            Projection qkv,
            Projection gate,
            Projection betaAlpha,
            Tensor convolution,
            Tensor aLog,
            Tensor dtBias,
            Tensor norm,
            Projection output)
            implements Mixer {}
}
