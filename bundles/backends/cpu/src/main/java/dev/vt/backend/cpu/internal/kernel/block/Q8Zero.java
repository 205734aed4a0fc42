package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;

/** q8_0: f16 scale, 32 signed bytes; x = scale * q. */
final class Q8Zero extends Blocks {
    private static final int N = 32;

    Q8Zero() {
        super(DType.Q8_0);
    }

    @Override
    void decodeBlock(MemorySegment s, long at, float[] out, int o) {
        float d = f16(s, at);
        for (int i = 0; i < N; i++) {
            out[o + i] = d * i8(s, at + 2 + i);
        }
    }

    @Override
    public boolean canEncode() {
        return true;
    }

    @Override
    public void encodeRow(float[] in, int at, long elements, MemorySegment segment, long offset) {
        long end = offset + dtype().rowBytes(elements);
        int i = at;
        for (long b = offset; b < end; b += dtype().blockBytes()) {
            encodeBlock(in, i, segment, b);
            i += N;
        }
    }

    private static void encodeBlock(float[] in, int at, MemorySegment s, long to) {
        float d = storedScale(Math.abs(extreme(in, at, N)) / 127f);
        putF16(s, to, d);
        for (int i = 0; i < N; i++) {
            // A stored scale may be a little below the exact one, hence the bound. Dividing by NaN gives the byte 0.
            int q = d == 0f ? 0 : Math.clamp(Math.round((double) in[at + i] / d), -127, 127);
            putByte(s, to + 2 + i, q);
        }
    }
}
