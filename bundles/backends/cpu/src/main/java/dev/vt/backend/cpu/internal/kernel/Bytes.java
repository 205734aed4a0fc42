package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Rows of raw bytes: an i8 tensor, or memory at an address. The bytes of a row follow each other. Immutable; threads may
 * share it.
 */
record Bytes(MemorySegment segment, long base, long rowStep) {
    /** The rows of the last dimension of a tensor whose outer dimensions are contiguous but for the first of two. */
    static Bytes of(Tensor t) {
        return new Bytes(t.segment(), t.offset(), t.rank() == 2 && !t.contiguous() ? t.stride(0) : t.lastDim());
    }

    byte get(long row, long col) {
        return segment.get(ValueLayout.JAVA_BYTE, base + row * rowStep + col);
    }

    void set(long row, long col, byte value) {
        segment.set(ValueLayout.JAVA_BYTE, base + row * rowStep + col, value);
    }

    /** Byte {@code i} of the tensor, which is contiguous. */
    void set(long i, byte value) {
        segment.set(ValueLayout.JAVA_BYTE, base + i, value);
    }

    /** Byte {@code i} of the tensor, which is contiguous. */
    byte get(long i) {
        return segment.get(ValueLayout.JAVA_BYTE, base + i);
    }
}
