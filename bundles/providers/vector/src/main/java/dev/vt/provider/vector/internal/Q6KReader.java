package dev.vt.provider.vector.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Rows of q6_K: blocks of 256 elements in 210 bytes: 128 bytes of low nibbles, 64 bytes of high bit pairs, 16 signed
 * scales (one for 16 elements), f16 scale; x = scale * s * (q - 32). Each half of 128 elements has 64 nibble bytes and
 * 32 bytes of pairs and is four runs of 32: runs 0 and 1 are low nibbles, 2 and 3 high ones; run r takes the pair at
 * bit 2r.
 */
final class Q6KReader implements RowReader {
    private static final int ELEMENTS = 256;
    private static final int BYTES = 210;
    private static final int PAIRS = 128;
    private static final int SCALES = 192;
    private static final int SCALE = 208;

    @Override
    public void read(MemorySegment from, long at, int count, float[] to, int o) {
        long block = at;
        for (int i = 0; i < count; i += ELEMENTS, block += BYTES) {
            float d = Float.float16ToFloat(from.get(Bf16Reader.SHORT, block + SCALE));
            for (int sixteen = 0; sixteen < 16; sixteen++) {
                int half = sixteen / 8;
                int run = sixteen % 8 / 2;
                int within = sixteen % 2 * 16;
                float scale = d * from.get(ValueLayout.JAVA_BYTE, block + SCALES + sixteen);
                long nibbles = block + 64L * half + 32L * (run % 2) + within;
                long pairs = block + PAIRS + 32L * half + within;
                sixteen(from, nibbles, run / 2 * 4, pairs, 2 * run, scale, to, o + i + 16 * sixteen);
            }
        }
    }

    private static void sixteen(
            MemorySegment from, long nibbles, int low, long pairs, int high, float scale, float[] to, int o) {
        for (int j = 0; j < 16; j += Lanes.B.length()) {
            ByteVector lowBits = ByteVector.fromMemorySegment(Lanes.B, from, nibbles + j, Lanes.ORDER)
                    .lanewise(VectorOperators.LSHR, low)
                    .and((byte) 15);
            ByteVector highBits = ByteVector.fromMemorySegment(Lanes.B, from, pairs + j, Lanes.ORDER)
                    .lanewise(VectorOperators.LSHR, high)
                    .and((byte) 3)
                    .lanewise(VectorOperators.LSHL, 4);
            ByteVector codes = lowBits.or(highBits).sub((byte) 32);
            ((FloatVector) codes.convertShape(VectorOperators.B2F, Lanes.F, 0))
                    .mul(scale)
                    .intoArray(to, o + j);
            if (Lanes.PARTS > 1) {
                ((FloatVector) codes.convertShape(VectorOperators.B2F, Lanes.F, 1))
                        .mul(scale)
                        .intoArray(to, o + j + Lanes.COUNT);
            }
        }
    }
}
