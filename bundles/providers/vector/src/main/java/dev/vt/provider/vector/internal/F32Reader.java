package dev.vt.provider.vector.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/** Rows of f32: a plain copy. */
final class F32Reader implements RowReader {
    static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    @Override
    public void read(MemorySegment from, long at, int count, float[] to, int o) {
        MemorySegment.copy(from, FLOAT, at, to, o, count);
    }

    @Override
    public boolean dots(float[] a, int ao, MemorySegment from, long at, long rowBytes, int count, float[] sums) {
        FloatVector s0 = FloatVector.zero(Lanes.F);
        FloatVector s1 = s0;
        FloatVector s2 = s0;
        FloatVector s3 = s0;
        int i = 0;
        for (; i <= count - Lanes.COUNT; i += Lanes.COUNT) {
            FloatVector x = FloatVector.fromArray(Lanes.F, a, ao + i);
            long p = at + 4L * i;
            s0 = x.fma(FloatVector.fromMemorySegment(Lanes.F, from, p, Lanes.ORDER), s0);
            s1 = x.fma(FloatVector.fromMemorySegment(Lanes.F, from, p + rowBytes, Lanes.ORDER), s1);
            s2 = x.fma(FloatVector.fromMemorySegment(Lanes.F, from, p + 2 * rowBytes, Lanes.ORDER), s2);
            s3 = x.fma(FloatVector.fromMemorySegment(Lanes.F, from, p + 3 * rowBytes, Lanes.ORDER), s3);
        }
        if (i < count) {
            VectorMask<Float> rest = Lanes.F.indexInRange(i, count);
            FloatVector x = FloatVector.fromArray(Lanes.F, a, ao + i);
            long p = at + 4L * i;
            s0 = x.fma(FloatVector.fromMemorySegment(Lanes.F, from, p, Lanes.ORDER, rest), s0);
            s1 = x.fma(FloatVector.fromMemorySegment(Lanes.F, from, p + rowBytes, Lanes.ORDER, rest), s1);
            s2 = x.fma(FloatVector.fromMemorySegment(Lanes.F, from, p + 2 * rowBytes, Lanes.ORDER, rest), s2);
            s3 = x.fma(FloatVector.fromMemorySegment(Lanes.F, from, p + 3 * rowBytes, Lanes.ORDER, rest), s3);
        }
        s0.intoArray(sums, 0);
        s1.intoArray(sums, Lanes.COUNT);
        s2.intoArray(sums, 2 * Lanes.COUNT);
        s3.intoArray(sums, 3 * Lanes.COUNT);
        return true;
    }
}
