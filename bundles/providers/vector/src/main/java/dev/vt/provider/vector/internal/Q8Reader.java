package dev.vt.provider.vector.internal;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/** Rows of q8_0: blocks of an f16 scale and 32 signed bytes. Scale times byte is exact in a float. */
final class Q8Reader implements RowReader {
    static final int ELEMENTS = 32;
    static final int BYTES = 34;

    @Override
    public void read(MemorySegment from, long at, int count, float[] to, int o) {
        long block = at;
        for (int i = 0; i < count; i += ELEMENTS, block += BYTES) {
            float scale = Float.float16ToFloat(from.get(Bf16Reader.SHORT, block));
            for (int j = 0; j < ELEMENTS; j += Lanes.B.length()) {
                ByteVector codes = ByteVector.fromMemorySegment(Lanes.B, from, block + 2 + j, Lanes.ORDER);
                ((FloatVector) codes.convertShape(VectorOperators.B2F, Lanes.F, 0))
                        .mul(scale)
                        .intoArray(to, o + i + j);
                if (Lanes.PARTS > 1) {
                    ((FloatVector) codes.convertShape(VectorOperators.B2F, Lanes.F, 1))
                            .mul(scale)
                            .intoArray(to, o + i + j + Lanes.COUNT);
                }
            }
        }
    }

    @Override
    public boolean dots(float[] a, int ao, MemorySegment from, long at, long rowBytes, int count, float[] sums) {
        pair(a, ao, from, at, at + rowBytes, count, sums, 0);
        pair(a, ao, from, at + 2 * rowBytes, at + 3 * rowBytes, count, sums, 2 * Lanes.COUNT);
        return true;
    }

    /** Two rows at once hide the latency of one sum behind the other. */
    private static void pair(
            float[] a, int ao, MemorySegment from, long first, long second, int count, float[] sums, int to) {
        FloatVector s0 = FloatVector.zero(Lanes.F);
        FloatVector s1 = s0;
        long p = first;
        long q = second;
        for (int i = 0; i < count; i += ELEMENTS, p += BYTES, q += BYTES) {
            float scale0 = Float.float16ToFloat(from.get(Bf16Reader.SHORT, p));
            float scale1 = Float.float16ToFloat(from.get(Bf16Reader.SHORT, q));
            for (int j = 0; j < ELEMENTS; j += Lanes.B.length()) {
                ByteVector c0 = ByteVector.fromMemorySegment(Lanes.B, from, p + 2 + j, Lanes.ORDER);
                ByteVector c1 = ByteVector.fromMemorySegment(Lanes.B, from, q + 2 + j, Lanes.ORDER);
                FloatVector x = FloatVector.fromArray(Lanes.F, a, ao + i + j);
                s0 = x.fma(((FloatVector) c0.convertShape(VectorOperators.B2F, Lanes.F, 0)).mul(scale0), s0);
                s1 = x.fma(((FloatVector) c1.convertShape(VectorOperators.B2F, Lanes.F, 0)).mul(scale1), s1);
                if (Lanes.PARTS > 1) {
                    x = FloatVector.fromArray(Lanes.F, a, ao + i + j + Lanes.COUNT);
                    s0 = x.fma(((FloatVector) c0.convertShape(VectorOperators.B2F, Lanes.F, 1)).mul(scale0), s0);
                    s1 = x.fma(((FloatVector) c1.convertShape(VectorOperators.B2F, Lanes.F, 1)).mul(scale1), s1);
                }
            }
        }
        s0.intoArray(sums, to);
        s1.intoArray(sums, to + Lanes.COUNT);
    }
}
