package dev.vt.provider.vector.internal;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * Writes elements of the result, f32 or bf16, whose rows may be padded. Elements are written once each, by any thread.
 */
record Output(MemorySegment segment, long offset, long rowBytes, boolean narrow) {
    static Output of(Tensor t) {
        int size = t.dtype().elementBytes();
        return new Output(t.segment(), t.offset(), t.dim(0) > 1 ? t.stride(0) * size : 0, t.dtype() == DType.BF16);
    }

    void set(long row, long col, float value) {
        if (narrow) {
            segment.set(Bf16Reader.SHORT, offset + row * rowBytes + 2 * col, bf16(value));
        } else {
            segment.set(F32Reader.FLOAT, offset + row * rowBytes + 4 * col, value);
        }
    }

    /** Rounds to the nearest, ties to even; a NaN stays one. */
    static short bf16(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) (bits >> 16 | 0x40);
        }
        return (short) (bits + 0x7fff + (bits >> 16 & 1) >> 16);
    }
}
