package dev.vt.provider.vector.internal;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;

/**
 * Dot products of some rows with some others, all at once. Each product keeps one vector of partial sums, goes through
 * its rows in order, and {@link #total} adds up the lanes in halves, so that an element of a matrix product has the
 * same bits in every tile. Rows are filled up with zeros to whole vectors.
 *
 * <p>Every vector stays inside one method: passed to another one, the compiler puts it on the heap, at a tenth of the
 * speed.
 */
final class Tiles {
    /** Rows of either side in a square tile; 16 sums and 8 operands fit into 32 registers. */
    static final int SIDE = 4;

    /** Floats that {@code sums} must have: a vector for each product of the largest tile. */
    static final int SUMS = SIDE * SIDE * Lanes.COUNT;

    private Tiles() {}

    /**
     * Four rows with four rows; the partial sums of product (i, j) start at {@code sums[(i * 4 + j) * lanes]}.
     *
     * @param k elements of a row, whole vectors
     * @param stride floats from row to row, on both sides
     */
    static void square(float[] a, int ao, float[] b, int bo, int k, int stride, float[] sums) {
        int a1 = ao + stride;
        int a2 = a1 + stride;
        int a3 = a2 + stride;
        int b1 = bo + stride;
        int b2 = b1 + stride;
        int b3 = b2 + stride;
        FloatVector s00 = FloatVector.zero(Lanes.F);
        FloatVector s01 = s00;
        FloatVector s02 = s00;
        FloatVector s03 = s00;
        FloatVector s10 = s00;
        FloatVector s11 = s00;
        FloatVector s12 = s00;
        FloatVector s13 = s00;
        FloatVector s20 = s00;
        FloatVector s21 = s00;
        FloatVector s22 = s00;
        FloatVector s23 = s00;
        FloatVector s30 = s00;
        FloatVector s31 = s00;
        FloatVector s32 = s00;
        FloatVector s33 = s00;
        for (int i = 0; i < k; i += Lanes.COUNT) {
            FloatVector w0 = FloatVector.fromArray(Lanes.F, b, bo + i);
            FloatVector w1 = FloatVector.fromArray(Lanes.F, b, b1 + i);
            FloatVector w2 = FloatVector.fromArray(Lanes.F, b, b2 + i);
            FloatVector w3 = FloatVector.fromArray(Lanes.F, b, b3 + i);
            FloatVector x = FloatVector.fromArray(Lanes.F, a, ao + i);
            s00 = x.fma(w0, s00);
            s01 = x.fma(w1, s01);
            s02 = x.fma(w2, s02);
            s03 = x.fma(w3, s03);
            x = FloatVector.fromArray(Lanes.F, a, a1 + i);
            s10 = x.fma(w0, s10);
            s11 = x.fma(w1, s11);
            s12 = x.fma(w2, s12);
            s13 = x.fma(w3, s13);
            x = FloatVector.fromArray(Lanes.F, a, a2 + i);
            s20 = x.fma(w0, s20);
            s21 = x.fma(w1, s21);
            s22 = x.fma(w2, s22);
            s23 = x.fma(w3, s23);
            x = FloatVector.fromArray(Lanes.F, a, a3 + i);
            s30 = x.fma(w0, s30);
            s31 = x.fma(w1, s31);
            s32 = x.fma(w2, s32);
            s33 = x.fma(w3, s33);
        }
        s00.intoArray(sums, 0);
        s01.intoArray(sums, Lanes.COUNT);
        s02.intoArray(sums, 2 * Lanes.COUNT);
        s03.intoArray(sums, 3 * Lanes.COUNT);
        s10.intoArray(sums, 4 * Lanes.COUNT);
        s11.intoArray(sums, 5 * Lanes.COUNT);
        s12.intoArray(sums, 6 * Lanes.COUNT);
        s13.intoArray(sums, 7 * Lanes.COUNT);
        s20.intoArray(sums, 8 * Lanes.COUNT);
        s21.intoArray(sums, 9 * Lanes.COUNT);
        s22.intoArray(sums, 10 * Lanes.COUNT);
        s23.intoArray(sums, 11 * Lanes.COUNT);
        s30.intoArray(sums, 12 * Lanes.COUNT);
        s31.intoArray(sums, 13 * Lanes.COUNT);
        s32.intoArray(sums, 14 * Lanes.COUNT);
        s33.intoArray(sums, 15 * Lanes.COUNT);
    }

    /** One row with four rows; the partial sums of product j start at {@code sums[j * lanes]}. */
    static void row(float[] a, int ao, float[] b, int bo, int k, int stride, float[] sums) {
        int b1 = bo + stride;
        int b2 = b1 + stride;
        int b3 = b2 + stride;
        FloatVector s0 = FloatVector.zero(Lanes.F);
        FloatVector s1 = s0;
        FloatVector s2 = s0;
        FloatVector s3 = s0;
        for (int i = 0; i < k; i += Lanes.COUNT) {
            FloatVector x = FloatVector.fromArray(Lanes.F, a, ao + i);
            s0 = x.fma(FloatVector.fromArray(Lanes.F, b, bo + i), s0);
            s1 = x.fma(FloatVector.fromArray(Lanes.F, b, b1 + i), s1);
            s2 = x.fma(FloatVector.fromArray(Lanes.F, b, b2 + i), s2);
            s3 = x.fma(FloatVector.fromArray(Lanes.F, b, b3 + i), s3);
        }
        s0.intoArray(sums, 0);
        s1.intoArray(sums, Lanes.COUNT);
        s2.intoArray(sums, 2 * Lanes.COUNT);
        s3.intoArray(sums, 3 * Lanes.COUNT);
    }

    /**
     * The total of the vector of partial sums at {@code o}, added up in halves. The Vector API's own reduction leaves
     * its order open, and with that the last bits; in a loop this takes longer than the products of a short row.
     */
    static float total(float[] s, int o) {
        return switch (Lanes.COUNT) {
            case 16 -> four(s, o) + four(s, o + 2) + (four(s, o + 1) + four(s, o + 3));
            case 8 -> two(s, o) + two(s, o + 2) + (two(s, o + 1) + two(s, o + 3));
            case 4 -> s[o] + s[o + 2] + (s[o + 1] + s[o + 3]);
            default -> inHalves(s, o);
        };
    }

    /** Four of sixteen lanes. */
    private static float four(float[] s, int o) {
        return s[o] + s[o + 8] + (s[o + 4] + s[o + 12]);
    }

    /** Two of eight lanes. */
    private static float two(float[] s, int o) {
        return s[o] + s[o + 4];
    }

    private static float inHalves(float[] s, int o) {
        float[] t = Arrays.copyOfRange(s, o, o + Lanes.COUNT);
        for (int half = Lanes.COUNT / 2; half > 0; half /= 2) {
            for (int i = 0; i < half; i++) {
                t[i] += t[i + half];
            }
        }
        return t[0];
    }
}
