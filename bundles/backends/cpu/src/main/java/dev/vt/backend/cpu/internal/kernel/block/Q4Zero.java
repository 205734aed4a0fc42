package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;

/** q4_0: f16 scale, 16 bytes; low nibbles are elements 0 to 15, high ones 16 to 31; x = scale * (q - 8). */
final class Q4Zero extends Blocks {
    private static final int HALF = 16;

    Q4Zero() {
        super(DType.Q4_0);
    }

    @Override
    void decodeBlock(MemorySegment s, long at, float[] out, int o) {
        float d = f16(s, at);
        for (int i = 0; i < HALF; i++) {
            int b = u8(s, at + 2 + i);
            out[o + i] = d * ((b & 15) - 8);
            out[o + HALF + i] = d * ((b >> 4) - 8);
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
            i += 2 * HALF;
        }
    }

    private static void encodeBlock(float[] in, int at, MemorySegment s, long to) {
        // The extreme element becomes -8, the one code that has no counterpart, so the scale takes the opposite sign.
        float d = storedScale(extreme(in, at, 2 * HALF) / -8f) + 0f;
        putF16(s, to, d);
        for (int i = 0; i < HALF; i++) {
            putByte(s, to + 2 + i, code(in[at + i], d) | code(in[at + HALF + i], d) << 4);
        }
    }

    private static int code(float x, float d) {
        return d == 0f ? 8 : Math.clamp(Math.round((double) x / d) + 8, 0, 15);
    }
}
