package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;

/**
 * mxfp4: one byte of power-of-two scale (biased by 127; 255 is NaN), 16 bytes of e2m1 nibbles laid out as in q4_0.
 * Source: OCP Microscaling Formats specification 1.0.
 */
final class Mxfp4 extends Blocks {
    private static final int HALF = 16;
    private static final int NAN_SCALE = 255;
    private static final float[] VALUES = {0f, .5f, 1f, 1.5f, 2f, 3f, 4f, 6f, -0f, -.5f, -1f, -1.5f, -2f, -3f, -4f, -6f
    };

    Mxfp4() {
        super(DType.MXFP4);
    }

    @Override
    void decodeBlock(MemorySegment s, long at, float[] out, int o) {
        int e = u8(s, at);
        float d = e == NAN_SCALE ? Float.NaN : Math.scalb(1f, e - 127);
        for (int i = 0; i < HALF; i++) {
            int b = u8(s, at + 1 + i);
            out[o + i] = d * VALUES[b & 15];
            out[o + HALF + i] = d * VALUES[b >> 4];
        }
    }
}
