package dev.vt.shell.internal;

import java.util.Arrays;

/** Times that were taken, in seconds. One thread. */
final class Samples {
    private double[] values = new double[64];
    private int count;

    void add(double seconds) {
        if (count == values.length) {
            values = Arrays.copyOf(values, 2 * count);
        }
        values[count++] = seconds;
    }

    double median() {
        double[] sorted = Arrays.copyOf(values, count);
        Arrays.sort(sorted);
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    }

    double min() {
        return Arrays.stream(values, 0, count).min().orElseThrow();
    }

    int count() {
        return count;
    }
}
