package dev.vt.conformance.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Expected;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The judges of codes of four and eight bits accept what is right and nothing else. */
class SmallFloatJudgesTest {
    private static final long[] SHAPE = {32};

    private static Interval[] numbers(double factor) {
        Random random = new Random(3);
        Interval[] x = new Interval[32];
        Arrays.setAll(x, i -> Interval.exact((float) (random.nextGaussian() * factor)));
        return x;
    }

    private static String told(Expected expected, byte[] given) {
        return expected.compare(DType.I8, given, SHAPE).fault();
    }

    @Test
    @DisplayName("e4m3: the nearest code alone; at a tie the even one; NaN for NaN; the largest for more")
    void fp8() {
        Interval[] x = numbers(30);
        x[3] = Interval.exact(Double.NaN);
        x[4] = Interval.exact(Double.NEGATIVE_INFINITY);
        x[5] = Interval.exact(17);
        byte[] right = new byte[32];
        for (int i = 0; i < x.length; i++) {
            right[i] = (byte) code(x[i].low());
        }
        assertEquals(16, SmallFloats.e4m3(right[5] & 255), "17 lies between 16 and 18");
        Expected expected = SmallFloatJudges.fp8(x);
        assertNull(told(expected, right));
        for (int i = 0; i < right.length; i++) {
            for (int change : new int[] {1, 0x80}) {
                byte[] wrong = right.clone();
                wrong[i] ^= (byte) change;
                boolean nan = i == 3 && change == 0x80;
                assertEquals(nan, told(expected, wrong) == null, "byte " + i + " changed by " + change);
            }
        }
    }

    /** The code of the nearest number, found by trying all. */
    private static int code(double x) {
        if (Double.isNaN(x)) {
            return 0x7f;
        }
        int best = 0;
        for (int c = 0; c < 127; c++) {
            double distance = Math.abs(SmallFloats.e4m3(c) - Math.min(Math.abs(x), 448));
            double least = Math.abs(SmallFloats.e4m3(best) - Math.min(Math.abs(x), 448));
            if (distance < least || (distance == least && c % 2 == 0)) {
                best = c;
            }
        }
        return x < 0 ? best + 128 : best;
    }

    @Test
    @DisplayName("nvfp4: a changed code, swapped halves of a byte, a scale one step off are told")
    void fp4() {
        Interval[] x = numbers(2);
        Arrays.fill(x, 16, 32, Interval.exact(0));
        double g = 100;
        byte[] scales = {(byte) code(largest(x) / 6 * g), 0};
        assertNull(SmallFloatJudges.fp4Scales(x, g).fault(scales));
        byte[] off = scales.clone();
        off[0]++;
        assertNotNull(SmallFloatJudges.fp4Scales(x, g).fault(off));
        byte[] codes = new byte[16];
        for (int i = 0; i < 16; i++) {
            int code = e2m1(x[i].low() * g / SmallFloats.e4m3(scales[0] & 255));
            codes[i / 2] |= (byte) (i % 2 == 0 ? code : code << 4);
        }
        Expected expected = SmallFloatJudges.fp4Codes(x, g);
        assertNull(told(expected, codes));
        for (int i = 0; i < 16; i++) {
            byte[] wrong = codes.clone();
            wrong[i] ^= 1;
            assertNotNull(told(expected, wrong), "byte " + i);
            byte[] swapped = codes.clone();
            swapped[i] = (byte) ((codes[i] & 15) << 4 | codes[i] >> 4 & 15);
            assertEquals(swapped[i] == codes[i], told(expected, swapped) == null, "byte " + i);
        }
    }

    private static double largest(Interval[] x) {
        return Arrays.stream(x).mapToDouble(i -> Math.abs(i.low())).max().orElseThrow();
    }

    private static int e2m1(double x) {
        int best = 0;
        for (int c = 0; c < 8; c++) {
            if (Math.abs(SmallFloats.e2m1(c) - Math.abs(x)) < Math.abs(SmallFloats.e2m1(best) - Math.abs(x))) {
                best = c;
            }
        }
        return x < 0 ? best + 8 : best;
    }

    @Test
    @DisplayName("Where the number is known to an interval both neighbours of a middle are right, and no third")
    void intervals() {
        Interval[] x = new Interval[32];
        Arrays.fill(x, Interval.around(17, 2));
        byte[] codes = new byte[32];
        for (int c : new int[] {code(16), code(18)}) {
            Arrays.fill(codes, (byte) c);
            assertNull(told(SmallFloatJudges.fp8(x), codes));
        }
        Arrays.fill(codes, (byte) code(20));
        assertNotNull(told(SmallFloatJudges.fp8(x), codes));
    }

    @Test
    @DisplayName("The order for tensor cores: every scale once, as the formula of the layout says")
    void swizzled() {
        int[] order = SmallFloats.swizzledOrder(130, 5);
        int groups = 8;
        for (int r = 0; r < 130; r++) {
            for (int g = 0; g < 5; g++) {
                int at = (r / 128 * (groups / 4) + g / 4) * 512 + r % 32 * 16 + r % 128 / 32 * 4 + g % 4;
                assertEquals(r * 5 + g, order[at]);
            }
        }
        assertEquals(130 * 5, Arrays.stream(order).filter(i -> i >= 0).count());
    }
}
