package dev.vt.provider.vector.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Rows of f32: a plain copy. */
final class F32Reader implements RowReader {
    static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    @Override
    public void read(MemorySegment from, long at, int count, float[] to, int o) {
        MemorySegment.copy(from, FLOAT, at, to, o, count);
    }
}
