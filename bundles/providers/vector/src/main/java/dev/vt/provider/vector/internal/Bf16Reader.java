package dev.vt.provider.vector.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;

/** Rows of bf16: the upper half of a float. */
final class Bf16Reader implements RowReader {
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    @Override
    public void read(MemorySegment from, long at, int count, float[] to, int o) {
        int i = 0;
        for (; i <= count - Lanes.COUNT; i += Lanes.COUNT) {
            ShortVector halves = ShortVector.fromMemorySegment(Lanes.S, from, at + 2L * i, Lanes.ORDER);
            IntVector bits = (IntVector) halves.convertShape(VectorOperators.ZERO_EXTEND_S2I, Lanes.I, 0);
            bits.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().intoArray(to, o + i);
        }
        for (; i < count; i++) {
            to[o + i] = Float.intBitsToFloat(from.get(SHORT, at + 2L * i) << 16);
        }
    }

    @Override
    public boolean dots(float[] a, int ao, MemorySegment from, long at, long rowBytes, int count, float[] sums) {
        if (count % Lanes.COUNT != 0) {
            return false;
        }
        FloatVector s0 = FloatVector.zero(Lanes.F);
        FloatVector s1 = s0;
        FloatVector s2 = s0;
        FloatVector s3 = s0;
        for (int i = 0; i < count; i += Lanes.COUNT) {
            FloatVector x = FloatVector.fromArray(Lanes.F, a, ao + i);
            long p = at + 2L * i;
            FloatVector w0 = ((IntVector) ShortVector.fromMemorySegment(Lanes.S, from, p, Lanes.ORDER)
                            .convertShape(VectorOperators.ZERO_EXTEND_S2I, Lanes.I, 0))
                    .lanewise(VectorOperators.LSHL, 16)
                    .reinterpretAsFloats();
            s0 = x.fma(w0, s0);
            FloatVector w1 = ((IntVector) ShortVector.fromMemorySegment(Lanes.S, from, p + rowBytes, Lanes.ORDER)
                            .convertShape(VectorOperators.ZERO_EXTEND_S2I, Lanes.I, 0))
                    .lanewise(VectorOperators.LSHL, 16)
                    .reinterpretAsFloats();
            s1 = x.fma(w1, s1);
            FloatVector w2 = ((IntVector) ShortVector.fromMemorySegment(Lanes.S, from, p + 2 * rowBytes, Lanes.ORDER)
                            .convertShape(VectorOperators.ZERO_EXTEND_S2I, Lanes.I, 0))
                    .lanewise(VectorOperators.LSHL, 16)
                    .reinterpretAsFloats();
            s2 = x.fma(w2, s2);
            FloatVector w3 = ((IntVector) ShortVector.fromMemorySegment(Lanes.S, from, p + 3 * rowBytes, Lanes.ORDER)
                            .convertShape(VectorOperators.ZERO_EXTEND_S2I, Lanes.I, 0))
                    .lanewise(VectorOperators.LSHL, 16)
                    .reinterpretAsFloats();
            s3 = x.fma(w3, s3);
        }
        s0.intoArray(sums, 0);
        s1.intoArray(sums, Lanes.COUNT);
        s2.intoArray(sums, 2 * Lanes.COUNT);
        s3.intoArray(sums, 3 * Lanes.COUNT);
        return true;
    }
}
