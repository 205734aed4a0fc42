package dev.vt.provider.vector.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Rows of q4_K: blocks of 256 elements in 144 bytes: f16 scale of the scales, f16 scale of the minima, eight pairs of
 * six-bit scale and minimum in 12 bytes, 128 bytes of nibbles. Each 32 bytes hold 64 elements, the low nibbles first; x
 * = scale * q - minimum.
 */
final class Q4KReader implements RowReader {
    private static final int ELEMENTS = 256;
    private static final int BYTES = 144;
    private static final int SCALES = 4;
    private static final int CODES = 16;

    @Override
    public void read(MemorySegment from, long at, int count, float[] to, int o) {
        long block = at;
        for (int i = 0; i < count; i += ELEMENTS, block += BYTES) {
            float d = Float.float16ToFloat(from.get(Bf16Reader.SHORT, block));
            float m = Float.float16ToFloat(from.get(Bf16Reader.SHORT, block + 2));
            for (int run = 0; run < 8; run++) {
                float scale = d * scale(from, block + SCALES, run);
                float min = m * min(from, block + SCALES, run);
                run(from, block + CODES + 32L * (run / 2), run % 2 * 4, scale, min, to, o + i + 32 * run);
            }
        }
    }

    private static void run(MemorySegment from, long at, int shift, float scale, float min, float[] to, int o) {
        for (int j = 0; j < 32; j += Lanes.B.length()) {
            ByteVector codes = ByteVector.fromMemorySegment(Lanes.B, from, at + j, Lanes.ORDER)
                    .lanewise(VectorOperators.LSHR, shift)
                    .and((byte) 15);
            ((FloatVector) codes.convertShape(VectorOperators.B2F, Lanes.F, 0))
                    .mul(scale)
                    .sub(min)
                    .intoArray(to, o + j);
            if (Lanes.PARTS > 1) {
                ((FloatVector) codes.convertShape(VectorOperators.B2F, Lanes.F, 1))
                        .mul(scale)
                        .sub(min)
                        .intoArray(to, o + j + Lanes.COUNT);
            }
        }
    }

    /**
     * The first four scales are the low six bits of bytes 0 to 3; the others are split between bytes 8 to 11 and 0 to
     * 3.
     */
    private static int scale(MemorySegment s, long at, int run) {
        return run < 4 ? u8(s, at + run) & 63 : u8(s, at + run + 4) & 15 | u8(s, at + run - 4) >> 6 << 4;
    }

    private static int min(MemorySegment s, long at, int run) {
        return run < 4 ? u8(s, at + run + 4) & 63 : u8(s, at + run + 4) >> 4 | u8(s, at + run) >> 6 << 4;
    }

    private static int u8(MemorySegment s, long at) {
        return s.get(ValueLayout.JAVA_BYTE, at) & 0xff;
    }
}
