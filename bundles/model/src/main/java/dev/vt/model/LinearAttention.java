package dev.vt.model;

/**
 * The numbers of the layers whose attention is linear (gated delta networks) in a model that has them besides layers of
 * full attention. Immutable. Source: Yang et al., Gated Delta Networks, 2024.
 *
 * @param interval every so manieth layer, beginning with the last of the first so many, has full attention
 * @param taps tokens that the causal convolution sees, itself included
 * @param keyHeads heads of query and key
 * @param keySize elements of such a head
 * @param valueHeads heads of the value; a multiple of {@code keyHeads}
 * @param valueSize elements of such a head
 */
public record LinearAttention(int interval, int taps, int keyHeads, int keySize, int valueHeads, int valueSize) {
    /** True for the layers that are linear. */
    boolean at(int layer) {
        return (layer + 1) % interval != 0;
    }

    /** Elements of all query heads of a token, and of all its key heads. */
    int keyWidth() {
        return keyHeads * keySize;
    }

    /** Elements of all value heads of a token. */
    int valueWidth() {
        return valueHeads * valueSize;
    }

    /** What goes through the convolution: query, key and value side by side. */
    int channels() {
        return 2 * keyWidth() + valueWidth();
    }
}
