package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The formats e4m3 and e2m1")
class SmallFloatsTest {
    /** Value of an e4m3 code, written from the format's definition. */
    private static double e4m3(int code) {
        int exponent = code >> 3 & 15;
        int mantissa = code & 7;
        double value =
                exponent == 0 ? Math.pow(2, -6) * mantissa / 8 : Math.pow(2, exponent - 7) * (1 + mantissa / 8.0);
        return (code & 128) != 0 ? -value : value;
    }

    private static final double[] E2M1 = {0, .5, 1, 1.5, 2, 3, 4, 6};

    @Test
    @DisplayName("e4m3: all codes decode to the format's numbers and encode to themselves")
    void fp8Codes() {
        for (int code = 0; code < 256; code++) {
            float value = Fp8.decode((byte) code);
            if ((code & 127) == 127) {
                assertTrue(Float.isNaN(value));
                continue;
            }
            assertEquals(e4m3(code), value);
            assertEquals(code, Fp8.encode(value) & 255, "code " + code);
        }
    }

    @Test
    @DisplayName("e4m3: the nearest number, ties to the even code, saturating, a NaN stays one")
    void fp8Rounding() {
        SplittableRandom random = new SplittableRandom(1);
        for (int code = 0; code < 126; code++) {
            double low = e4m3(code);
            double high = e4m3(code + 1);
            float middle = (float) ((low + high) / 2);
            fp8((code & 1) == 0 ? code : code + 1, middle);
            fp8(code, Math.nextDown(middle));
            fp8(code + 1, Math.nextUp(middle));
            for (int i = 0; i < 50; i++) {
                float x = (float) random.nextDouble(low, high);
                fp8(x < middle ? code : x > middle ? code + 1 : code + (code & 1), x);
            }
        }
        for (float x : new float[] {448, 449, 464, 465, 1e30f, Float.MAX_VALUE, Float.POSITIVE_INFINITY}) {
            fp8(126, x);
        }
        fp8(0, Float.MIN_VALUE);
        fp8(0, 0x1p-10f);
        fp8(1, Math.nextUp(0x1p-10f));
        assertEquals(127, Fp8.encode(Float.NaN) & 127);
        assertEquals(127, Fp8.encode(Float.intBitsToFloat(0xffc00000)) & 127);
    }

    private static void fp8(int code, float x) {
        assertEquals(code, Fp8.encode(x) & 255, "" + x);
        assertEquals(code | 128, Fp8.encode(-x) & 255, "-" + x);
    }

    @Test
    @DisplayName("e2m1: the nearest number, ties to the even code, saturating, a NaN becomes 6")
    void fp4() {
        for (int code = 0; code < 8; code++) {
            assertEquals(E2M1[code], Fp4.decode(code));
            assertEquals(-E2M1[code], Fp4.decode(code | 8));
            fp4(code, (float) E2M1[code]);
            if (code < 7) {
                float middle = (float) ((E2M1[code] + E2M1[code + 1]) / 2);
                fp4(code + (code & 1), middle);
                fp4(code, Math.nextDown(middle));
                fp4(code + 1, Math.nextUp(middle));
            }
        }
        fp4(7, 1e30f);
        fp4(7, Float.POSITIVE_INFINITY);
        fp4(0, Float.MIN_VALUE);
        assertEquals(7, Fp4.encode(Float.NaN));
    }

    private static void fp4(int code, float x) {
        assertEquals(code, Fp4.encode(x), "" + x);
        assertEquals(code | 8, Fp4.encode(-x), "-" + x);
    }
}
