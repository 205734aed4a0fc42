package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A causal convolution of some neighbouring channels, token by token. Channels do not meet, so any choice of them gives
 * the same results. Has scratch, so one thread's.
 */
final class ConvBlock {
    private final Rows out;
    private final Rows x;
    private final Rows state;
    private final long channels;
    private final long first;
    private final int n;
    private final int taps;
    private final float[][] weight;
    private final float[] bias;
    private final float[] sums;
    private final float[] rolled;
    private final float[][] seen;

    /** For channels {@code first} to {@code first + n}. */
    ConvBlock(Tensor out, Tensor x, Tensor weight, @Nullable Tensor bias, Tensor state, long first, int n) {
        this.out = Rows.of(out);
        this.x = Rows.of(x);
        this.state = Rows.flat(state);
        this.channels = x.dim(1);
        this.first = first;
        this.n = n;
        this.taps = (int) weight.dim(1);
        this.weight = columns(Rows.of(weight), first, n, taps);
        this.bias = new float[n];
        if (bias != null) {
            Rows.of(bias).read(0, first, n, this.bias, 0);
        }
        this.sums = new float[n];
        this.rolled = new float[n * (taps - 1)];
        this.seen = new float[taps][n];
    }

    private static float[][] columns(Rows weight, long first, int n, int taps) {
        float[][] w = new float[taps][n];
        float[] row = new float[taps];
        for (int c = 0; c < n; c++) {
            weight.read(first + c, row);
            for (int j = 0; j < taps; j++) {
                w[j][c] = row[j];
            }
        }
        return w;
    }

    /** Begins with the inputs that a state holds. */
    void load(long slot) {
        state.read(0, at(slot), rolled.length, rolled, 0);
        for (int c = 0; c < n; c++) {
            for (int j = 0; j < taps - 1; j++) {
                seen[j + 1][c] = rolled[c * (taps - 1) + j];
            }
        }
    }

    /** Begins with zeros. */
    void clear() {
        for (float[] s : seen) {
            Arrays.fill(s, 0f);
        }
    }

    /** Takes one token more. */
    void step(long token, boolean silu) {
        float[] oldest = seen[0];
        System.arraycopy(seen, 1, seen, 0, taps - 1);
        seen[taps - 1] = oldest;
        x.read(token, first, n, oldest, 0);
        System.arraycopy(bias, 0, sums, 0, n);
        for (int j = 0; j < taps; j++) {
            addProduct(weight[j], seen[j]);
        }
        for (int c = 0; silu && c < n; c++) {
            sums[c] = GatedKernel.silu(sums[c]);
        }
        out.write(token, first, n, sums, 0);
    }

    private void addProduct(float[] w, float[] inputs) {
        for (int c = 0; c < n; c++) {
            sums[c] += w[c] * inputs[c];
        }
    }

    /** Keeps the last inputs in a state. */
    void store(long slot) {
        for (int c = 0; c < n; c++) {
            for (int j = 0; j < taps - 1; j++) {
                rolled[c * (taps - 1) + j] = seen[j + 1][c];
            }
        }
        state.write(0, at(slot), rolled.length, rolled, 0);
    }

    /** Writes zeros for a token. */
    void zero(long token) {
        Arrays.fill(sums, 0f);
        out.write(token, first, n, sums, 0);
    }

    private long at(long slot) {
        return (slot * channels + first) * (taps - 1);
    }
}
