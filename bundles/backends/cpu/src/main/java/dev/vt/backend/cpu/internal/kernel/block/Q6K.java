package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;

/**
 * q6_K: 128 bytes of low nibbles, 64 bytes of high bit pairs, 16 signed scales (one for 16 elements), f16 scale; x =
 * scale * s * (q - 32). Each half of 128 elements has 64 nibble bytes and 32 bytes of pairs, and is four runs of 32:
 * runs 0 and 1 are the low nibbles, 2 and 3 the high ones, pair bits 2j and 2j + 1 belong to run j.
 */
final class Q6K extends Blocks {
    private static final int HIGH = 128;
    private static final int SCALES = 192;
    private static final int SCALE = 208;

    Q6K() {
        super(DType.Q6_K);
    }

    @Override
    void decodeBlock(MemorySegment s, long at, float[] out, int o) {
        float d = f16(s, at + SCALE);
        for (int half = 0; half < 2; half++) {
            long low = at + 64L * half;
            long high = at + HIGH + 32L * half;
            for (int run = 0; run < 4; run++) {
                long scales = at + SCALES + 8L * half + 2L * run;
                int to = o + 128 * half + 32 * run;
                decodeRun(s, low + 32L * (run % 2), run / 2 * 4, high, 2 * run, scales, d, out, to);
            }
        }
    }

    private static void decodeRun(
            MemorySegment s,
            long low,
            int lowShift,
            long high,
            int highShift,
            long scales,
            float d,
            float[] out,
            int o) {
        float first = d * i8(s, scales);
        float second = d * i8(s, scales + 1);
        for (int i = 0; i < 32; i++) {
            int q = u8(s, low + i) >> lowShift & 15 | (u8(s, high + i) >> highShift & 3) << 4;
            out[o + i] = (i < 16 ? first : second) * (q - 32);
        }
    }
}
