package dev.vt.ops.kernel;

/**
 * How a router chooses experts and weighs them.
 *
 * <p>With more than one group the experts are cut into so many runs of equal length, and only those of the best {@code topGroups}
 * groups can be chosen, the lower group first on a tie. A group counts as the sum of its two best biased scores; where there is no
 * bias, as its best score; where it has one expert, as that one. Sources: DeepSeek-AI, DeepSeek-V2, 2024, and DeepSeek-V3, 2024
 * (there without an auxiliary loss: "noaux_tc").
 *
 * @param sigmoid true when the score of an expert is the sigmoid of its logit, false for the softmax of the row
 * @param renormalise true when the weights of a row are divided by their sum; a sum of 0 leaves them 0
 * @param groups number of groups, 1 for none; divides the number of experts
 * @param topGroups number of groups that are kept, 1 to groups
 * @param scale what the weights are multiplied with in the end; above 0
 */
public record RouterParams(boolean sigmoid, boolean renormalise, int groups, int topGroups, float scale) {
    /** Softmax over all experts, no groups, no scale. */
    public static RouterParams softmax(boolean renormalise) {
        return new RouterParams(false, renormalise, 1, 1, 1f);
    }

    /** Sigmoid of each logit, no groups, no scale. */
    public static RouterParams sigmoid(boolean renormalise) {
        return new RouterParams(true, renormalise, 1, 1, 1f);
    }
}
