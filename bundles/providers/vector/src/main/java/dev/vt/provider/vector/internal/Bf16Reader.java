package dev.vt.provider.vector.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
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
}
