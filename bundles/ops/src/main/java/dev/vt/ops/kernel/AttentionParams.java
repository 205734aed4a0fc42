package dev.vt.ops.kernel;

/**
 * Numbers of an attention call.
 *
 * @param scale what q.k is multiplied with; above 0
 * @param causal true when a query sees only itself and what came before
 * @param window how many tokens back a query sees, itself included; 0 for all
 * @param softCap scores become softCap * tanh(score / softCap); 0 for none
 */
public record AttentionParams(float scale, boolean causal, int window, float softCap) {
    /** Causal, no window, no soft-cap. */
    public static AttentionParams causal(float scale) {
        return new AttentionParams(scale, true, 0, 0f);
    }
}
