package dev.vt.conformance.catalogue;

import dev.vt.conformance.spec.Expected;

/** Sums in double with the sizes of their terms. Pure functions. */
final class Sums {
    private Sums() {}

    /** Where the i-th factor of a row or column stands. */
    @FunctionalInterface
    interface Index {
        int at(int rowOrColumn, int i);
    }

    /** out[m,n]: sums of k products. */
    static Expected products(int m, int n, int k, double[] a, double[] b, Index left, Index right) {
        return products(m, n, k, a, b, left, right, Expected.sumOf(k));
    }

    /** The same with so many roundings. */
    static Expected products(int m, int n, int k, double[] a, double[] b, Index left, Index right, double roundings) {
        double[] values = new double[m * n];
        double[] sizes = new double[m * n];
        for (int row = 0; row < m; row++) {
            for (int col = 0; col < n; col++) {
                double sum = 0;
                double size = 0;
                for (int i = 0; i < k; i++) {
                    double product = a[left.at(row, i)] * b[right.at(col, i)];
                    sum += product;
                    size += Math.abs(product);
                }
                values[row * n + col] = sum;
                sizes[row * n + col] = size;
            }
        }
        return Expected.close(values, sizes, roundings);
    }
}
