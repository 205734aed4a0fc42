package dev.vt.model;

import dev.vt.ops.kernel.RouterParams;

/**
 * The experts of a model whose feed-forward halves are mixtures: each token goes to a few of many. Immutable. Source: Shazeer et al.,
 * Outrageously Large Neural Networks, 2017.
 *
 * @param experts number of experts of a layer
 * @param used how many of them a token goes to
 * @param width inner width of an expert
 * @param sharedWidth inner width of the expert that every token goes to as well; 0 where there is none
 * @param sharedGate whether what that one gives is multiplied with a sigmoid that each token has of its own
 * @param bias whether the choice, and not the weight, depends on a bias of each expert
 * @param router how experts are chosen and weighed
 */
public record Mixture(
        int experts, int used, int width, int sharedWidth, boolean sharedGate, boolean bias, RouterParams router) {
    /** True where every token goes to one expert besides those that are chosen. */
    public boolean shared() {
        return sharedWidth > 0;
    }
}
