package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;

/** q5_K: as q4_K, with 32 bytes of fifth bits before the nibbles: bit j of byte i is element 32j + i. */
final class Q5K extends Blocks {
    private static final int SCALES = 4;
    private static final int HIGH = 16;
    private static final int CODES = 48;

    Q5K() {
        super(DType.Q5_K);
    }

    @Override
    void decodeBlock(MemorySegment s, long at, float[] out, int o) {
        float d = f16(s, at);
        float m = f16(s, at + 2);
        for (int run = 0; run < 8; run++) {
            float scale = d * PackedScales.scale(s, at + SCALES, run);
            float min = m * PackedScales.min(s, at + SCALES, run);
            long codes = at + CODES + 32L * (run / 2);
            int shift = 4 * (run % 2);
            for (int i = 0; i < 32; i++) {
                int fifth = u8(s, at + HIGH + i) >> run & 1;
                out[o + 32 * run + i] = scale * ((u8(s, codes + i) >> shift & 15) + 16 * fifth) - min;
            }
        }
    }
}
