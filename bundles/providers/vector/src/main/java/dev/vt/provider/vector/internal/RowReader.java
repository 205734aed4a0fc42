package dev.vt.provider.vector.internal;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Reads a row of one element type as floats. Stateless; any thread may use it. */
interface RowReader {
    /**
     * Reads elements.
     *
     * @param from where the row lives
     * @param at byte offset of its first element, of any alignment
     * @param count number of elements; whole blocks for a block type
     * @param to receives the floats
     * @param o index of the first float
     */
    void read(MemorySegment from, long at, int count, float[] to, int o);

    /**
     * Dot products of a row of floats with four rows, without the way over an array. The partial sums of product
     * j start at {@code sums[j * lanes]}, with the bits that {@link Tiles#row} gives.
     *
     * @param a the floats, filled up with zeros to whole vectors
     * @param rowBytes bytes from row to row
     * @return false when this reader has no such way; then nothing was done
     */
    default boolean dots(float[] a, int ao, MemorySegment from, long at, long rowBytes, int count, float[] sums) {
        return false;
    }

    /** The reader of a type, or null where there is none. */
    static @Nullable RowReader of(DType dtype) {
        return switch (dtype) {
            case F32 -> new F32Reader();
            case F16 -> new F16Reader();
            case BF16 -> new Bf16Reader();
            case Q8_0 -> new Q8Reader();
            case Q4_0 -> new Q4Reader();
            case Q4_K -> new Q4KReader();
            case Q6_K -> new Q6KReader();
            default -> null;
        };
    }
}
