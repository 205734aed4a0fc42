package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;

/** q8_K: f32 scale, 256 signed bytes, 16 sums that decoding does not need; x = scale * q. */
final class Q8K extends Blocks {
    Q8K() {
        super(DType.Q8_K);
    }

    @Override
    void decodeBlock(MemorySegment s, long at, float[] out, int o) {
        float d = f32(s, at);
        for (int i = 0; i < 256; i++) {
            out[o + i] = d * i8(s, at + 4 + i);
        }
    }
}
