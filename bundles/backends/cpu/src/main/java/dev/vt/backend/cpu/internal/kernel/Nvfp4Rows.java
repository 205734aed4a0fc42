package dev.vt.backend.cpu.internal.kernel;

import dev.vt.ops.kernel.ScaleLayout;

/** Rows of an nvfp4 matrix as floats. Immutable; threads may share it. */
final class Nvfp4Rows {
    /** Elements that share a scale. */
    static final int GROUP = 16;

    private final Bytes codes;
    private final Bytes scales;
    private final ScaleLayout layout;
    private final int groups;

    /** A matrix of {@code groups} times 16 columns; the scales are contiguous. */
    Nvfp4Rows(Bytes codes, Bytes scales, ScaleLayout layout, int groups) {
        this.codes = codes;
        this.scales = scales;
        this.layout = layout;
        this.groups = groups;
    }

    /** Each code times its block's scale, which is exact. */
    void read(long row, float[] to) {
        for (int g = 0; g < groups; g++) {
            float scale = Fp8.decode(scales.get(layout.at(row, g, groups)));
            int at = g * GROUP;
            for (int i = 0; i < GROUP; i += 2) {
                int pair = codes.get(row, (at + i) / 2);
                to[at + i] = Fp4.decode(pair & 15) * scale;
                to[at + i + 1] = Fp4.decode(pair >> 4 & 15) * scale;
            }
        }
    }

    /** As {@link #read(long, float[])}, times the tensor's scale, rounded to f32, then to bf16. */
    void readBf16(long row, float scale2, float[] to) {
        read(row, to);
        for (int i = 0; i < groups * GROUP; i++) {
            to[i] = Rows.roundBf16(to[i] * scale2);
        }
    }
}
