package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.MarlinLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Columns of the experts' weights in Marlin's order, as floats. Immutable; threads may share it. */
final class MarlinRows {
    private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int GROUP = Nvfp4Rows.GROUP;

    private final MemorySegment segment;
    private final long base;
    private final Bytes scales;
    private final long cols;
    private final int groups;

    /** packed [E,groups,2 * cols] and scale [E,groups,cols], contiguous. */
    MarlinRows(Tensor packed, Tensor scale, long cols, int groups) {
        this.segment = packed.segment();
        this.base = packed.offset();
        this.scales = Bytes.of(scale);
        this.cols = cols;
        this.groups = groups;
    }

    /** Column n of an expert's weight; codes times block scales are exact. */
    void read(long expert, long n, float[] to) {
        for (int g = 0; g < groups; g++) {
            long row = expert * groups + g;
            float scale = Fp8.decode(scales.get(row * cols + MarlinLayout.scale(n)));
            long words = base + row * 2 * cols * Integer.BYTES;
            for (int i = 0; i < GROUP; i++) {
                int word = segment.get(I32, words + MarlinLayout.word(i, n) * Integer.BYTES);
                to[g * GROUP + i] = Fp4.decode(word >>> MarlinLayout.bit(i, n) & 15) * scale;
            }
        }
    }
}
