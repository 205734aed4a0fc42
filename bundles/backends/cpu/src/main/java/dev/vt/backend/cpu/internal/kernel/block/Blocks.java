package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import dev.vt.backend.cpu.BlockFormat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** What the formats share: a walk over the blocks of a row, and access to little-endian fields at any alignment. */
abstract class Blocks implements BlockFormat {
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final DType dtype;

    Blocks(DType dtype) {
        this.dtype = dtype;
    }

    /** Decodes the block at a byte offset to {@code out[o]} and following. */
    abstract void decodeBlock(MemorySegment s, long at, float[] out, int o);

    @Override
    public final DType dtype() {
        return dtype;
    }

    @Override
    public final void decodeRow(MemorySegment segment, long offset, long elements, float[] out, int at) {
        long end = offset + dtype.rowBytes(elements);
        int o = at;
        for (long b = offset; b < end; b += dtype.blockBytes()) {
            decodeBlock(segment, b, out, o);
            o += dtype.blockElements();
        }
    }

    @Override
    public final String toString() {
        return dtype.label();
    }

    static float f16(MemorySegment s, long at) {
        return Float.float16ToFloat(s.get(U16, at));
    }

    static void putF16(MemorySegment s, long at, float value) {
        s.set(U16, at, Float.floatToFloat16(value));
    }

    static float f32(MemorySegment s, long at) {
        return Float.intBitsToFloat(s.get(U32, at));
    }

    static int i32(MemorySegment s, long at) {
        return s.get(U32, at);
    }

    static int u8(MemorySegment s, long at) {
        return s.get(ValueLayout.JAVA_BYTE, at) & 0xff;
    }

    static int i8(MemorySegment s, long at) {
        return s.get(ValueLayout.JAVA_BYTE, at);
    }

    static void putByte(MemorySegment s, long at, int value) {
        s.set(ValueLayout.JAVA_BYTE, at, (byte) value);
    }

    /**
     * The element of the largest magnitude with its sign, the first of equals; NaN when the block holds an infinity or
     * a NaN.
     */
    static float extreme(float[] in, int at, int n) {
        float best = 0f;
        for (int i = at; i < at + n; i++) {
            if (!Float.isFinite(in[i])) {
                return Float.NaN;
            }
            if (Math.abs(in[i]) > Math.abs(best)) {
                best = in[i];
            }
        }
        return best;
    }

    /** The scale as f16 holds it, or NaN where f16 can't hold it. */
    static float storedScale(float d) {
        float stored = Float.float16ToFloat(Float.floatToFloat16(d));
        return Float.isInfinite(stored) ? Float.NaN : stored;
    }
}
