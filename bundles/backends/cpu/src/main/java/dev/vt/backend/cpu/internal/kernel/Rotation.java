package dev.vt.backend.cpu.internal.kernel;

import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeFrequencies;

/**
 * Rotates the pairs of heads in place by given cosines and sines. Not shared between threads: it has scratch of its
 * own.
 */
final class Rotation {
    private final float[] cos;
    private final float[] sin;
    private final float[] head;
    private final boolean interleaved;

    Rotation(int rotaryDim, boolean interleaved) {
        this.cos = new float[rotaryDim / 2];
        this.sin = new float[rotaryDim / 2];
        this.head = new float[rotaryDim];
        this.interleaved = interleaved;
    }

    /** Frequencies of all pairs, in radians a position. */
    static double[] frequencies(RopeFrequencies frequencies) {
        double[] f = new double[frequencies.rotaryDim() / 2];
        for (int i = 0; i < f.length; i++) {
            f[i] = frequencies.frequency(i);
        }
        return f;
    }

    /** Takes the angles of a position; they are made in double, then rounded. */
    void angles(long position, double[] frequencies) {
        angles(position, frequencies, 0, cos.length);
    }

    /** Takes for each section the angles of its own position of token t. */
    void angles(Ints positions, long t, long tokens, MropeSections sections, double[] frequencies) {
        for (int axis = 0; axis < MropeSections.AXES; axis++) {
            long position = positions.get(axis * tokens + t);
            angles(position, frequencies, (int) sections.start(axis), (int) sections.start(axis + 1));
        }
    }

    private void angles(long position, double[] frequencies, int from, int to) {
        for (int i = from; i < to; i++) {
            double angle = position * frequencies[i];
            cos[i] = (float) Math.cos(angle);
            sin[i] = (float) Math.sin(angle);
        }
    }

    /** Takes the angles of a row of a table: cosines, then sines. */
    void angles(Rows cosSin, long row) {
        cosSin.read(row, 0, cos.length, cos, 0);
        cosSin.read(row, cos.length, sin.length, sin, 0);
    }

    /** Takes for each section the angles of its own position of token t. */
    void angles(Rows cosSin, Ints positions, long t, long tokens, MropeSections sections) {
        for (int axis = 0; axis < MropeSections.AXES; axis++) {
            int from = (int) sections.start(axis);
            int n = (int) sections.start(axis + 1) - from;
            long row = positions.get(axis * tokens + t);
            cosSin.read(row, from, n, cos, from);
            cosSin.read(row, (long) cos.length + from, n, sin, from);
        }
    }

    /** Rotates all heads of token t; a head is a row of {@code x}. */
    void rotate(Rows x, long t, long heads) {
        for (long h = t * heads; h < (t + 1) * heads; h++) {
            x.read(h, 0, head.length, head, 0);
            if (interleaved) {
                rotate(2, 1);
            } else {
                rotate(1, cos.length);
            }
            x.write(h, 0, head.length, head, 0);
        }
    }

    private void rotate(int step, int distance) {
        for (int i = 0; i < cos.length; i++) {
            float a = head[i * step];
            float b = head[i * step + distance];
            head[i * step] = a * cos[i] - b * sin[i];
            head[i * step + distance] = a * sin[i] + b * cos[i];
        }
    }
}
