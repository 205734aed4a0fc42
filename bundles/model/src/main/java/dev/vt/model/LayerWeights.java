package dev.vt.model;

import dev.vt.api.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The weights of one layer. Views; whoever loaded the weights owns the memory.
 *
 * @param attentionNorm [H]
 * @param mixer what mixes the tokens of a sequence
 * @param ffnNorm [H]
 * @param transition what each token goes through by itself
 */
record LayerWeights(Tensor attentionNorm, Mixer mixer, Tensor ffnNorm, Transition transition) {
    /** Attention of one kind or the other. */
    sealed interface Mixer permits Attention, Delta {}

    /**
     * Full attention.
     *
     * @param query [heads * head size, H]; where attention is gated twice as many rows, those of a head's query before those of its
     *     gate
     * @param key [kv heads * head size, H]
     * @param value [kv heads * head size, H]
     * @param queryKeyValue all three as one, or null where they are apart or attention is gated
     * @param queryNorm [head size], or null where the architecture has none
     * @param keyNorm [head size], or null where the architecture has none
     * @param output [H, heads * head size]
     */
    record Attention(
            Projection query,
            Projection key,
            Projection value,
            @Nullable Projection queryKeyValue,
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

    /** A feed-forward part of one kind or the other. */
    sealed interface Transition permits Dense, Experts {}

    /**
     * One feed-forward part for all tokens.
     *
     * @param gate [F, H]
     * @param up [F, H]
     * @param gateUp both as one, or null where they are apart
     * @param down [H, F]
     */
    record Dense(Projection gate, Projection up, @Nullable Projection gateUp, Projection down) implements Transition {}

    /**
     * A mixture of experts.
     *
     * @param router [E, H]
     * @param bias [E], or null
     * @param experts each [F, H], [F, H] and [H, F]
     * @param shared the expert that every token goes to, or null
     * @param sharedGate [1, H], or null
     */
    record Experts(
            Projection router,
            @Nullable Tensor bias,
            List<Dense> experts,
            @Nullable Dense shared,
            @Nullable Projection sharedGate)
            implements Transition {}
}
