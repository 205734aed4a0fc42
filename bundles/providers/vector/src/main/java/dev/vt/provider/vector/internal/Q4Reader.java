package dev.vt.provider.vector.internal;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Rows of q4_0: blocks of an f16 scale and 16 bytes, whose low nibbles are the first 16 elements and whose high ones
 * the other; x = scale * (q - 8), exact in a float.
 */
final class Q4Reader implements RowReader {
    static final int ELEMENTS = 32;
    static final int BYTES = 18;

    @Override
    public void read(MemorySegment from, long at, int count, float[] to, int o) {
        long block = at;
        for (int i = 0; i < count; i += ELEMENTS, block += BYTES) {
            float scale = Float.float16ToFloat(from.get(Bf16Reader.SHORT, block));
            for (int j = 0; j < ELEMENTS / 2; j += Lanes.B.length()) {
                ByteVector codes = ByteVector.fromMemorySegment(Lanes.B, from, block + 2 + j, Lanes.ORDER);
                ByteVector low = codes.and((byte) 15).sub((byte) 8);
                ByteVector high = codes.lanewise(VectorOperators.LSHR, 4).sub((byte) 8);
                int lowTo = o + i + j;
                int highTo = lowTo + ELEMENTS / 2;
                ((FloatVector) low.convertShape(VectorOperators.B2F, Lanes.F, 0))
                        .mul(scale)
                        .intoArray(to, lowTo);
                ((FloatVector) high.convertShape(VectorOperators.B2F, Lanes.F, 0))
                        .mul(scale)
                        .intoArray(to, highTo);
                if (Lanes.PARTS > 1) {
                    ((FloatVector) low.convertShape(VectorOperators.B2F, Lanes.F, 1))
                            .mul(scale)
                            .intoArray(to, lowTo + Lanes.COUNT);
                    ((FloatVector) high.convertShape(VectorOperators.B2F, Lanes.F, 1))
                            .mul(scale)
                            .intoArray(to, highTo + Lanes.COUNT);
                }
            }
        }
    }

    @Override
    public boolean dots(float[] a, int ao, MemorySegment from, long at, long rowBytes, int count, float[] sums) {
        if (Lanes.COUNT < 16) {
            // A row's elements would come in another order than in memory, and the sum would get other bits.
            return false;
        }
        pair(a, ao, from, at, at + rowBytes, count, sums, 0);
        pair(a, ao, from, at + 2 * rowBytes, at + 3 * rowBytes, count, sums, 2 * Lanes.COUNT);
        return true;
    }

    /** Two rows at once hide the latency of one sum behind the other; sixteen lanes take all low or all high nibbles. */
    private static void pair(
            float[] a, int ao, MemorySegment from, long first, long second, int count, float[] sums, int to) {
        FloatVector s0 = FloatVector.zero(Lanes.F);
        FloatVector s1 = s0;
        long p = first;
        long q = second;
        for (int i = 0; i < count; i += ELEMENTS, p += BYTES, q += BYTES) {
            float scale0 = Float.float16ToFloat(from.get(Bf16Reader.SHORT, p));
            float scale1 = Float.float16ToFloat(from.get(Bf16Reader.SHORT, q));
            ByteVector c0 = ByteVector.fromMemorySegment(Lanes.B, from, p + 2, Lanes.ORDER);
            ByteVector c1 = ByteVector.fromMemorySegment(Lanes.B, from, q + 2, Lanes.ORDER);
            ByteVector low0 = c0.and((byte) 15).sub((byte) 8);
            ByteVector low1 = c1.and((byte) 15).sub((byte) 8);
            FloatVector x = FloatVector.fromArray(Lanes.F, a, ao + i);
            s0 = x.fma(((FloatVector) low0.convertShape(VectorOperators.B2F, Lanes.F, 0)).mul(scale0), s0);
            s1 = x.fma(((FloatVector) low1.convertShape(VectorOperators.B2F, Lanes.F, 0)).mul(scale1), s1);
            ByteVector high0 = c0.lanewise(VectorOperators.LSHR, 4).sub((byte) 8);
            ByteVector high1 = c1.lanewise(VectorOperators.LSHR, 4).sub((byte) 8);
            x = FloatVector.fromArray(Lanes.F, a, ao + i + 16);
            s0 = x.fma(((FloatVector) high0.convertShape(VectorOperators.B2F, Lanes.F, 0)).mul(scale0), s0);
            s1 = x.fma(((FloatVector) high1.convertShape(VectorOperators.B2F, Lanes.F, 0)).mul(scale1), s1);
        }
        s0.intoArray(sums, to);
        s1.intoArray(sums, to + Lanes.COUNT);
    }
}
