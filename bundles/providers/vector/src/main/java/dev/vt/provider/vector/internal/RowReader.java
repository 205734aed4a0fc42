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
