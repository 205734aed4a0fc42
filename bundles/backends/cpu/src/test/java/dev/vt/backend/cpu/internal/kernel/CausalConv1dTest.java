package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CausalConv1dTest {
    private static final Queue WHOLE = new InlineQueue(InlineQueue.Cut.WHOLE);

    /** One sequence as a filter over what it has seen, oldest first; gives the outputs and leaves the last inputs. */
    private static double[][] filter(double[][] seen, double[][] x, double[] w, double[] bias, int taps, boolean silu) {
        double[][] out = new double[x.length][];
        for (int t = 0; t < x.length; t++) {
            out[t] = new double[bias.length];
            for (int c = 0; c < bias.length; c++) {
                double sum = bias[c] + w[c * taps + taps - 1] * x[t][c];
                for (int j = 0; j < taps - 1; j++) {
                    int at = t + j - (taps - 1);
                    sum += w[c * taps + j] * (at < 0 ? seen[c][taps - 1 + at] : x[at][c]);
                }
                out[t][c] = silu ? sum / (1 + Math.exp(-sum)) : sum;
            }
        }
        for (int c = 0; c < bias.length; c++) {
            double[] old = seen[c].clone();
            for (int j = 0; j < taps - 1; j++) {
                int at = x.length + j - (taps - 1);
                seen[c][j] = at < 0 ? old[taps - 1 + at] : x[at][c];
            }
        }
        return out;
    }

    private static double[][] rows(double[] flat, int from, int to, int width) {
        double[][] rows = new double[to - from][];
        for (int r = from; r < to; r++) {
            rows[r - from] = Arrays.copyOfRange(flat, r * width, (r + 1) * width);
        }
        return rows;
    }

    private static double[] flat(double[][] rows) {
        return Arrays.stream(rows).flatMapToDouble(Arrays::stream).toArray();
    }

    private static void checkFwd(Queue queue, DType in, DType result, int channels, int taps, boolean silu) {
        String what = in + "->" + result + " C=" + channels + " K=" + taps;
        int[] starts = {0, 1, 1, 8, 10};
        int tokens = 11;
        Tensor x = Data.of(in, 4, 0, Data.random(1, (long) tokens * channels), tokens, channels);
        Tensor w = Data.of(in, Data.random(2, (long) channels * taps), channels, taps);
        Tensor bias = silu ? Data.of(in, Data.random(3, channels), channels) : null;
        Tensor state = Data.of(DType.F32, Data.random(4, 4L * channels * (taps - 1)), 4, channels, taps - 1);
        Tensor flags = Data.of(DType.I8, new double[] {1, 1, 0, 1}, 4);
        Tensor loc = Data.of(DType.I32, Arrays.stream(starts).asDoubleStream().toArray(), 5);
        Tensor out = Data.empty(result, 8, 0, tokens, channels);
        double[] untouched = Arrays.copyOfRange(Data.read(out), 10 * channels, 11 * channels);
        double[] states = Data.read(state);
        double[] b = bias == null ? new double[channels] : Data.read(bias);
        double[][] expected = new double[tokens][];
        expected[10] = untouched;
        for (int n = 0; n < 4; n++) {
            double[][] seen = rows(states, n * channels, (n + 1) * channels, taps - 1);
            if (n == 2) {
                Arrays.stream(seen).forEach(s -> Arrays.fill(s, 0));
            }
            double[][] y =
                    filter(seen, rows(Data.read(x), starts[n], starts[n + 1], channels), Data.read(w), b, taps, silu);
            System.arraycopy(y, 0, expected, starts[n], y.length);
            System.arraycopy(flat(seen), 0, states, n * channels * (taps - 1), channels * (taps - 1));
        }
        assertEquals(Outcome.SERVED, CausalConv1d.fwd(queue, out, x, w, bias, state, loc, flags, silu));
        Data.assertClose(flat(expected), out, 1, what);
        assertArrayEquals(states, Data.read(state), what);
        Data.assertOutsideUntouched(out, what);
        Data.assertOutsideUntouched(state, what);
    }

    @Test
    @DisplayName("causal_conv1d_fwd: dtypes, widths, taps, sequences with and without a past, empty ones, rows of none")
    void fwd() {
        for (Queue queue : InlineQueue.all()) {
            for (DType in : List.of(DType.F32, DType.F16, DType.BF16)) {
                for (int taps : new int[] {1, 2, 4, 5}) {
                    for (int channels : new int[] {1, 3, 64, 600}) {
                        checkFwd(queue, in, DType.F32, channels, taps, taps == 4);
                        checkFwd(queue, in, DType.BF16, channels, taps, taps != 4);
                    }
                }
            }
            checkFwd(queue, DType.F32, DType.F32, 0, 4, true);
        }
    }

    @Test
    @DisplayName("causal_conv1d_update: token by token it gives what causal_conv1d_fwd gives, bit by bit")
    void update() {
        int channels = 70;
        Tensor x = Data.of(DType.BF16, Data.random(1, 9 * 70), 9, channels);
        Tensor w = Data.of(DType.F32, Data.random(2, 70 * 4), channels, 4);
        Tensor bias = Data.of(DType.F32, Data.random(3, 70), channels);
        Tensor whole = Data.of(DType.F32, Data.random(4, 70 * 3), 1, channels, 3);
        Tensor states = Data.of(DType.F32, Data.random(5, 3 * 70 * 3), 3, channels, 3);
        double[] before = Data.read(states);
        Tensor single = states.rows(1, 2);
        for (int i = 0; i < 210; i++) {
            Data.put(single, i, Data.get(whole, i));
        }
        Tensor expected = Data.empty(DType.F32, 0, 0, 9, channels);
        Tensor loc = Data.of(DType.I32, new double[] {0, 9}, 2);
        Tensor flags = Data.of(DType.I32, new double[] {-7}, 1);
        CausalConv1d.fwd(WHOLE, expected, x, w, bias, whole, loc, flags, true);
        Tensor out = Data.empty(DType.F32, 0, 0, 9, channels);
        for (int t = 0; t < 9; t++) {
            Queue queue = InlineQueue.all().get(t % 3);
            // The slot that is meant, with a row of none before it from the third token on.
            Tensor one = Data.of(DType.I32, new double[] {1}, 1);
            CausalConv1d.update(
                    queue,
                    out.rows(t, t + 1),
                    x.rows(t, t + 1),
                    w,
                    bias,
                    t < 4 ? states : single,
                    t < 4 ? one : null,
                    true);
        }
        assertArrayEquals(Data.read(expected), Data.read(out));
        assertArrayEquals(Data.read(whole), Data.read(single));
        double[] after = Data.read(states);
        assertArrayEquals(Arrays.copyOf(before, 210), Arrays.copyOf(after, 210));
        assertArrayEquals(Arrays.copyOfRange(before, 420, 630), Arrays.copyOfRange(after, 420, 630));
    }

    @Test
    @DisplayName(
            "causal_conv1d_update: a negative slot gives zeros; rows of one slot are done in order; a bad slot writes"
                    + " nothing")
    void slots() {
        for (Queue queue : InlineQueue.all()) {
            Tensor x = Data.of(DType.F32, new double[] {1, 2, 3, 4, 5, 6}, 3, 2);
            Tensor w = Data.of(DType.F32, new double[] {10, 1, 100, 1}, 2, 2);
            Tensor state = Data.of(DType.F32, new double[] {7, 8}, 1, 2, 1);
            Tensor out = Data.empty(DType.F32, 0, 0, 3, 2);
            Tensor indices = Data.of(DType.I32, new double[] {0, -1, 0}, 3);
            CausalConv1d.update(queue, out, x, w, null, state, indices, false);
            assertArrayEquals(new double[] {71, 802, 0, 0, 15, 206}, Data.read(out));
            assertArrayEquals(new double[] {5, 6}, Data.read(state));
            Data.put(indices, 2, 1);
            VtException e = assertThrows(
                    VtException.class, () -> CausalConv1d.update(queue, out, x, w, null, state, indices, false));
            assertTrue(e.getMessage().contains("causal_conv1d_update"), e.getMessage());
            assertTrue(e.getMessage().endsWith("stateIndices[2]: expected 0 to 0, given 1"), e.getMessage());
            assertArrayEquals(new double[] {71, 802, 0, 0, 15, 206}, Data.read(out));
            assertArrayEquals(new double[] {5, 6}, Data.read(state));
        }
    }

    @Test
    @DisplayName("causal_conv1d_fwd: starts that fall or leave the rows are faults, and nothing is written")
    void badStarts() {
        Tensor x = Data.of(DType.F32, Data.random(1, 6), 3, 2);
        Tensor w = Data.of(DType.F32, Data.random(2, 4), 2, 2);
        Tensor state = Data.of(DType.F32, Data.random(3, 4), 2, 2, 1);
        Tensor flags = Data.of(DType.I8, new double[] {1, 1}, 2);
        double[] before = Data.read(state);
        for (double[] starts : new double[][] {{0, 2, 4}, {-1, 2, 3}, {0, 2, 1}}) {
            Tensor out = Data.empty(DType.F32, 0, 0, 3, 2);
            double[] untouched = Data.read(out);
            Tensor loc = Data.of(DType.I32, starts, 3);
            assertThrows(VtException.class, () -> CausalConv1d.fwd(WHOLE, out, x, w, null, state, loc, flags, false));
            assertArrayEquals(untouched, Data.read(out));
            assertArrayEquals(before, Data.read(state));
        }
    }

    @Test
    @DisplayName("O4.13 causal_conv1d: a NaN reaches the tokens that see it, in its channel alone, and the state")
    void nan() {
        Tensor x = Data.of(DType.F32, Data.random(1, 5 * 3), 5, 3);
        Data.put(x, 3 + 1, Double.NaN);
        Tensor w = Data.of(DType.F32, Data.random(2, 9), 3, 3);
        Tensor state = Data.of(DType.F32, Data.random(3, 6), 1, 3, 2);
        Tensor out = Data.empty(DType.F32, 0, 0, 5, 3);
        Tensor flags = Data.of(DType.I8, new double[] {0}, 1);
        CausalConv1d.fwd(WHOLE, out, x, w, null, state, Data.of(DType.I32, new double[] {0, 5}, 2), flags, true);
        for (int i = 0; i < 15; i++) {
            assertEquals(i % 3 == 1 && i / 3 >= 1 && i / 3 <= 3, Double.isNaN(Data.get(out, i)), "element " + i);
        }
        assertTrue(Arrays.stream(Data.read(state)).noneMatch(Double::isNaN));
    }
}
