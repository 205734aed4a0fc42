package dev.vt.provider.vector.internal;

import dev.vt.api.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** Rows of a matrix in memory, which may be padded: the left side of a product, or a transposed right side. */
record Rows(MemorySegment segment, long offset, long rowBytes, long rows, RowReader reader) {
    static Rows of(Tensor t, RowReader reader) {
        long rowBytes = t.dim(0) > 1 ? t.dtype().rowBytes(t.stride(0)) : 0;
        return new Rows(t.segment(), t.offset(), rowBytes, t.dim(0), reader);
    }

    void read(long row, int count, float[] to, int o) {
        reader.read(segment, offset + row * rowBytes, count, to, o);
    }
}
