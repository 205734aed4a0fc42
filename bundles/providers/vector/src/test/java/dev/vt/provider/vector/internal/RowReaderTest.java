package dev.vt.provider.vector.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RowReaderTest {
    @Test
    @DisplayName("O4.13 every f16 and bf16 value is read as what it is, NaN, infinities and subnormal ones too")
    void halves() {
        int all = 1 << 16;
        float[] f16 = new float[all];
        float[] bf16 = new float[all];
        MemorySegment s = Arena.ofAuto().allocate(2 * all + 2);
        for (int i = 0; i < all; i++) {
            s.set(Bf16Reader.SHORT, 2 + 2L * i, (short) i);
        }
        new F16Reader().read(s, 2, all, f16, 0);
        new Bf16Reader().read(s, 2, all, bf16, 0);
        for (int i = 0; i < all; i++) {
            assertEquals(Float.float16ToFloat((short) i), f16[i]);
            assertEquals(Float.intBitsToFloat(i << 16), bf16[i]);
        }
    }

    @Test
    @DisplayName("O4.13 bf16 results are rounded to the nearest, ties to even, and NaN stays NaN")
    void rounding() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            float exact = Float.intBitsToFloat(bits << 16);
            if (Float.isNaN(exact)) {
                assertTrue(Float.isNaN(Float.intBitsToFloat(Output.bf16(exact) << 16)));
                continue;
            }
            assertEquals((short) bits, Output.bf16(exact));
            if (Float.isFinite(exact)) {
                assertEquals((short) bits, Output.bf16(Float.intBitsToFloat(bits << 16 | 0x7fff)));
                assertEquals((short) (bits + (bits & 1)), Output.bf16(Float.intBitsToFloat(bits << 16 | 0x8000)));
                assertEquals((short) (bits + 1), Output.bf16(Float.intBitsToFloat(bits << 16 | 0x8001)));
            }
        }
        assertTrue(Float.isNaN(Float.intBitsToFloat(Output.bf16(Float.intBitsToFloat(0x7f800001)) << 16)));
    }
}
