package dev.vt.conformance.catalogue;

import dev.vt.conformance.spec.Pattern;
import java.util.Arrays;
import java.util.SplittableRandom;

/** The formats e4m3 and e2m1 as tables of numbers, written from their definitions. Pure functions, any thread. */
final class SmallFloats {
    /** The largest number of e4m3. */
    static final double E4M3_MAX = 448;

    private static final int NAN = 0x7f;
    private static final double[] E2M1 = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    private static final double[] E4M3 = e4m3Numbers();

    private SmallFloats() {}

    private static double[] e4m3Numbers() {
        double[] numbers = new double[NAN];
        for (int code = 0; code < numbers.length; code++) {
            int exponent = code / 8;
            double fraction = code % 8 / 8.0;
            numbers[code] = exponent == 0 ? fraction / 64 : (1 + fraction) * Math.pow(2, exponent - 7);
        }
        return numbers;
    }

    /** The number of an e4m3 byte. */
    static double e4m3(int code) {
        double size = (code & NAN) == NAN ? Double.NaN : E4M3[code & NAN];
        return (code & 0x80) != 0 ? -size : size;
    }

    /** The number of an e2m1 code, 0 to 15. */
    static double e2m1(int code) {
        return (code & 8) != 0 ? -E2M1[code & 7] : E2M1[code & 7];
    }

    /** The e4m3 number next to x, saturating. */
    static double toE4m3(double x) {
        return nearest(E4M3, x);
    }

    /** The e2m1 number next to x, saturating. */
    static double toE2m1(double x) {
        return nearest(E2M1, x);
    }

    /** The nearest of the numbers of codes 0, 1, 2, ..., with x's sign; ties to the even code. */
    private static double nearest(double[] numbers, double x) {
        if (Double.isNaN(x)) {
            return x;
        }
        double size = Math.abs(x);
        int at = Arrays.binarySearch(numbers, size);
        if (at < 0) {
            int above = -at - 1;
            if (above == numbers.length) {
                at = above - 1;
            } else {
                double middle = (numbers[above - 1] + numbers[above]) / 2;
                boolean up = size > middle || (size == middle && above % 2 == 0);
                at = up ? above : above - 1;
            }
        }
        return Math.copySign(numbers[at], x);
    }

    /** Random e4m3 bytes, as the values of a matrix; what stands out is in the middle of each row. */
    static byte[] values(SplittableRandom random, Pattern pattern, int rows, int cols) {
        byte[] out = new byte[rows * cols];
        for (int i = 0; i < out.length; i++) {
            int sign = random.nextInt(2) * 0x80;
            boolean middle = i % cols == cols / 2;
            int size = switch (pattern) {
                case NAN_MIDDLE -> middle ? NAN : 24 + random.nextInt(48);
                case DENORMAL -> random.nextInt(8);
                case ZERO -> 0;
                case LARGE -> NAN - 1 - random.nextInt(8);
                default -> 24 + random.nextInt(48);
            };
            out[i] = (byte) (sign + size);
        }
        return out;
    }

    /** Random e4m3 bytes, as the scales of blocks: positive, from 2^-4 to 4. */
    static byte[] scales(SplittableRandom random, Pattern pattern, int rows, int cols) {
        byte[] out = values(random, pattern, rows, cols);
        for (int i = 0; i < out.length; i++) {
            out[i] &= NAN;
        }
        return out;
    }

    /** Random bytes: two codes each. */
    static byte[] codes(SplittableRandom random, int count) {
        byte[] out = new byte[count];
        random.nextBytes(out);
        return out;
    }

    /** The numbers of an nvfp4 matrix with linear scales, row-major. */
    static double[] nvfp4(byte[] packed, byte[] scales) {
        double[] out = new double[2 * packed.length];
        for (int i = 0; i < out.length; i++) {
            int pair = packed[i / 2] & 0xff;
            out[i] = e2m1(i % 2 == 0 ? pair % 16 : pair / 16) * e4m3(scales[i / 16] & 0xff);
        }
        return out;
    }

    /** The numbers of e4m3 bytes. */
    static double[] fp8(byte[] bytes) {
        double[] out = new double[bytes.length];
        Arrays.setAll(out, i -> e4m3(bytes[i] & 0xff));
        return out;
    }

    /**
     * The order of block scales for tensor cores, padded: which linear scale each byte holds, or -1. Tiles of 128 rows and 4 columns
     * follow each other; within a tile row r comes at 16 times its number modulo 32, and there at 4 times r / 32.
     */
    static int[] swizzledOrder(int rows, int groups) {
        int tilesDown = (rows + 127) / 128;
        int tilesAcross = (groups + 3) / 4;
        int[] out = new int[tilesDown * tilesAcross * 512];
        for (int i = 0; i < out.length; i++) {
            int tile = i / 512;
            int row = tile / tilesAcross * 128 + i / 4 % 4 * 32 + i / 16 % 32;
            int group = tile % tilesAcross * 4 + i % 4;
            out[i] = row < rows && group < groups ? row * groups + group : -1;
        }
        return out;
    }

    /** Linear block scales in that order, padded with zeros. */
    static byte[] swizzled(byte[] scales, int rows, int groups) {
        int[] order = swizzledOrder(rows, groups);
        byte[] out = new byte[order.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = order[i] < 0 ? 0 : scales[order[i]];
        }
        return out;
    }
}
