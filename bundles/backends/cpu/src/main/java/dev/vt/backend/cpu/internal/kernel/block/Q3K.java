package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;

/**
 * q3_K: 32 bytes of third bits (bit j of byte i is element 32j + i), 64 bytes of low 2-bit codes laid out as in q2_K,
 * 12 bytes of 6-bit scales (one for 16 elements, offset 32), f16 scale. A third bit that is not set takes 4 off.
 */
final class Q3K extends Blocks {
    private static final int CODES = 32;
    private static final int SCALES = 96;
    private static final int SCALE = 108;

    Q3K() {
        super(DType.Q3_K);
    }

    @Override
    void decodeBlock(MemorySegment s, long at, float[] out, int o) {
        float d = f16(s, at + SCALE);
        for (int run = 0; run < 16; run++) {
            float scale = d * (scale(s, at + SCALES, run) - 32);
            int half = 16 * (run % 2);
            long codes = at + CODES + 32L * (run / 8) + half;
            int shift = run % 8 / 2 * 2;
            for (int i = 0; i < 16; i++) {
                int third = u8(s, at + half + i) >> run / 2 & 1;
                out[o + 16 * run + i] = scale * ((u8(s, codes + i) >> shift & 3) - 4 + 4 * third);
            }
        }
    }

    /** Low four bits of scale j are in byte j % 8, its high two bits in byte 8 + j % 4. */
    private static int scale(MemorySegment s, long at, int j) {
        int low = j < 8 ? u8(s, at + j) & 15 : u8(s, at + j - 8) >> 4;
        int high = u8(s, at + 8 + j % 4) >> 2 * (j / 4) & 3;
        return low | high << 4;
    }
}
