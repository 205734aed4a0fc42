package dev.vt.provider.vector.internal;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * Rows of f16. Exponent and fraction moved to a float's place are the value times 2^-112, subnormal values too;
 * infinities and NaNs get a float's exponent instead.
 */
final class F16Reader implements RowReader {
    private static final float REBIAS = 0x1p112f;

    @Override
    public void read(MemorySegment from, long at, int count, float[] to, int o) {
        int i = 0;
        for (; i <= count - Lanes.COUNT; i += Lanes.COUNT) {
            ShortVector halves = ShortVector.fromMemorySegment(Lanes.S, from, at + 2L * i, Lanes.ORDER);
            IntVector bits = (IntVector) halves.convertShape(VectorOperators.ZERO_EXTEND_S2I, Lanes.I, 0);
            IntVector magnitude = bits.and(0x7fff).lanewise(VectorOperators.LSHL, 13);
            IntVector sign = bits.and(0x8000).lanewise(VectorOperators.LSHL, 16);
            FloatVector finite = magnitude.reinterpretAsFloats().mul(REBIAS);
            VectorMask<Integer> special = bits.and(0x7c00).eq(0x7c00);
            IntVector value = finite.reinterpretAsInts().blend(magnitude.or(0x7f800000), special);
            value.or(sign).reinterpretAsFloats().intoArray(to, o + i);
        }
        for (; i < count; i++) {
            to[o + i] = Float.float16ToFloat(from.get(Bf16Reader.SHORT, at + 2L * i));
        }
    }
}
