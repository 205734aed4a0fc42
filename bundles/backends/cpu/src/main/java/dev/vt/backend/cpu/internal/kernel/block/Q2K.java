package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;

/**
 * q2_K: 16 bytes of 4-bit scales (low) and minima (high), one for 16 elements each, 64 bytes of 2-bit codes, f16 scale
 * of the scales, f16 scale of the minima. Each half of 128 elements has 32 code bytes; bits 2j and 2j + 1 are its j-th
 * run of 32.
 */
final class Q2K extends Blocks {
    private static final int CODES = 16;
    private static final int SCALE = 80;

    Q2K() {
        super(DType.Q2_K);
    }

    @Override
    void decodeBlock(MemorySegment s, long at, float[] out, int o) {
        float d = f16(s, at + SCALE);
        float m = f16(s, at + SCALE + 2);
        for (int run = 0; run < 16; run++) {
            int packed = u8(s, at + run);
            float scale = d * (packed & 15);
            float min = m * (packed >> 4);
            long codes = at + CODES + 32L * (run / 8) + 16L * (run % 2);
            int shift = run % 8 / 2 * 2;
            for (int i = 0; i < 16; i++) {
                out[o + 16 * run + i] = scale * (u8(s, codes + i) >> shift & 3) - min;
            }
        }
    }
}
