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
                ((FloatVector) codes.convertShape(VectorOperators.B2F, Lanes.F, 0)).mul(scale).intoArray(to, o + i + j);
                if (Lanes.PARTS > 1) {
                    ((FloatVector) codes.convertShape(VectorOperators.B2F, Lanes.F, 1))
                            .mul(scale)
                            .intoArray(to, o + i + j + Lanes.COUNT);
                }
            }
        }
    }
}
