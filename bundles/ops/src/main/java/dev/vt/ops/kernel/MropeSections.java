package dev.vt.ops.kernel;

/**
 * Which position of a token the pairs of a head are rotated by, where a token has three: the first {@code temporal} pairs by that in
 * time, the next {@code height} and {@code width} by those in a picture. Source: Wang et al., Qwen2-VL, 2024.
 *
 * @param temporal pairs, 0 or more
 * @param height pairs, 0 or more
 * @param width pairs, 0 or more; all three are half of what is rotated
 */
public record MropeSections(int temporal, int height, int width) {
    /** Positions that a token has. */
    public static final int AXES = 3;

    /** First pair of an axis: 0 for time, 1 for height, 2 for width; with 3 the number of pairs. */
    public long start(int axis) {
        return (axis > 0 ? (long) temporal : 0) + (axis > 1 ? height : 0) + (axis > 2 ? width : 0);
    }
}
