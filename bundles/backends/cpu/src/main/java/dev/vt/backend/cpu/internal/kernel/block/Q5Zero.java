package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;

/** q5_0: f16 scale, the 32 fifth bits, 16 bytes of nibbles as in q4_0; x = scale * (q - 16). */
final class Q5Zero extends Blocks {
    private static final int HALF = 16;

    Q5Zero() {
        super(DType.Q5_0);
    }

    @Override
    void decodeBlock(MemorySegment s, long at, float[] out, int o) {
        float d = f16(s, at);
        int high = i32(s, at + 2);
        for (int i = 0; i < HALF; i++) {
            int b = u8(s, at + 6 + i);
            out[o + i] = d * ((b & 15 | (high >>> i & 1) << 4) - 16);
            out[o + HALF + i] = d * ((b >> 4 | (high >>> i + HALF & 1) << 4) - 16);
        }
    }
}
