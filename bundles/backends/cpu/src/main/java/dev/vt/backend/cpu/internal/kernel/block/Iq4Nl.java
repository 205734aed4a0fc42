package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;

/** iq4_nl: laid out as q4_0, the nibbles name entries of a fixed table of 16 unevenly spaced values. */
final class Iq4Nl extends Blocks {
    private static final int HALF = 16;
    private static final float[] VALUES = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

    Iq4Nl() {
        super(DType.IQ4_NL);
    }

    @Override
    void decodeBlock(MemorySegment s, long at, float[] out, int o) {
        float d = f16(s, at);
        for (int i = 0; i < HALF; i++) {
            int b = u8(s, at + 2 + i);
            out[o + i] = d * VALUES[b & 15];
            out[o + HALF + i] = d * VALUES[b >> 4];
        }
    }
}
