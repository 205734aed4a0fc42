package dev.vt.backend.cpu.internal.kernel;

/**
 * Sums over a float array in an order that is fixed by its length alone. Sums of squares are made in double, in four
 * chains, so that the processor need not wait for one addition to begin the next.
 */
final class Sums {
    private Sums() {}

    /** Sum of the first n elements. */
    static double of(float[] x, int n) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        int i = 0;
        for (; i + 3 < n; i += 4) {
            a += x[i];
            b += x[i + 1];
            c += x[i + 2];
            d += x[i + 3];
        }
        for (; i < n; i++) {
            a += x[i];
        }
        return (a + b) + (c + d);
    }

    /** Sum of (x - mean)^2 over the first n elements. */
    static double squares(float[] x, int n, double mean) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        int i = 0;
        for (; i + 3 < n; i += 4) {
            double p = x[i] - mean;
            double q = x[i + 1] - mean;
            double r = x[i + 2] - mean;
            double s = x[i + 3] - mean;
            a += p * p;
            b += q * q;
            c += r * r;
            d += s * s;
        }
        for (; i < n; i++) {
            double p = x[i] - mean;
            a += p * p;
        }
        return (a + b) + (c + d);
    }

    /** The largest of the first n elements, negative infinity for none, NaN if there is one. */
    static float max(float[] x, int n) {
        float max = Float.NEGATIVE_INFINITY;
        for (int i = 0; i < n; i++) {
            max = Math.max(max, x[i]);
        }
        return max;
    }

    /**
     * The product of n elements of two vectors, in f32. Eight chains are added as a tree at the end: quick without
     * vector instructions, and more exact than one chain.
     */
    static float dot(float[] x, int xAt, float[] y, int yAt, int n) {
        float a = 0;
        float b = 0;
        float c = 0;
        float d = 0;
        float e = 0;
        float f = 0;
        float g = 0;
        float h = 0;
        int i = 0;
        for (; i + 7 < n; i += 8) {
            a += x[xAt + i] * y[yAt + i];
            b += x[xAt + i + 1] * y[yAt + i + 1];
            c += x[xAt + i + 2] * y[yAt + i + 2];
            d += x[xAt + i + 3] * y[yAt + i + 3];
            e += x[xAt + i + 4] * y[yAt + i + 4];
            f += x[xAt + i + 5] * y[yAt + i + 5];
            g += x[xAt + i + 6] * y[yAt + i + 6];
            h += x[xAt + i + 7] * y[yAt + i + 7];
        }
        for (; i < n; i++) {
            a += x[xAt + i] * y[yAt + i];
        }
        return ((a + b) + (c + d)) + ((e + f) + (g + h));
    }

    /** sum += factor * x, over the first n elements. */
    static void addScaled(float[] sum, float[] x, float factor, int n) {
        for (int i = 0; i < n; i++) {
            sum[i] += factor * x[i];
        }
    }
}
