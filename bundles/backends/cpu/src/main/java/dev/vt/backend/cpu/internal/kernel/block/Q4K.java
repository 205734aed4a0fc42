package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;

/**
 * q4_K: f16 scale of the scales, f16 scale of the minima, packed scales, 128 bytes of nibbles: each 32 bytes are 64
 * elements, low nibbles first; x = scale * q - min.
 */
final class Q4K extends Blocks {
    private static final int SCALES = 4;
    private static final int CODES = 16;

    Q4K() {
        super(DType.Q4_K);
    }

    @Override
    void decodeBlock(MemorySegment s, long at, float[] out, int o) {
        float d = f16(s, at);
        float m = f16(s, at + 2);
        for (int pair = 0; pair < 4; pair++) {
            float low = d * PackedScales.scale(s, at + SCALES, 2 * pair);
            float lowMin = m * PackedScales.min(s, at + SCALES, 2 * pair);
            float high = d * PackedScales.scale(s, at + SCALES, 2 * pair + 1);
            float highMin = m * PackedScales.min(s, at + SCALES, 2 * pair + 1);
            long codes = at + CODES + 32L * pair;
            int to = o + 64 * pair;
            for (int i = 0; i < 32; i++) {
                int b = u8(s, codes + i);
                out[to + i] = low * (b & 15) - lowMin;
                out[to + 32 + i] = high * (b >> 4) - highMin;
            }
        }
    }
}
