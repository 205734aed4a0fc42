package dev.vt.provider.vector.internal;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Rows of q4_0: blocks of an f16 scale and 16 bytes, whose low nibbles are the first 16 elements and whose high ones the other;
 * x = scale * (q - 8), exact in a float.
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
                ((FloatVector) low.convertShape(VectorOperators.B2F, Lanes.F, 0)).mul(scale).intoArray(to, lowTo);
                ((FloatVector) high.convertShape(VectorOperators.B2F, Lanes.F, 0)).mul(scale).intoArray(to, highTo);
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
}
