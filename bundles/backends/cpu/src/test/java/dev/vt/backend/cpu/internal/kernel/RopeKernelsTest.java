package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeFrequencies;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RopeKernelsTest {
    private static final RopeFrequencies.Llama3Scaling LLAMA3 = new RopeFrequencies.Llama3Scaling(8, 1, 4, 8192);

    /** Angle of pair i at a position, written from the papers. */
    private static double angle(RopeFrequencies f, int i, double position) {
        double theta = 1 / Math.pow(f.base(), 2.0 * i / f.rotaryDim());
        RopeFrequencies.Llama3Scaling s = f.llama3();
        if (s != null) {
            double turns = s.originalContext() * theta / (2 * Math.PI);
            double keep = (turns - s.lowFrequencyFactor()) / (s.highFrequencyFactor() - s.lowFrequencyFactor());
            keep = Math.clamp(keep, 0, 1);
            theta = keep * theta + (1 - keep) * theta / s.factor();
        }
        return position * theta / f.linearScale();
    }

    private static double[] rotated(
            double[] x, int heads, int d, double[] positions, RopeFrequencies f, boolean pairs) {
        double[] out = x.clone();
        int half = f.rotaryDim() / 2;
        for (int head = 0; head < x.length / d; head++) {
            for (int i = 0; i < half; i++) {
                double a = angle(f, i, positions[head / heads]);
                int first = head * d + (pairs ? 2 * i : i);
                int second = head * d + (pairs ? 2 * i + 1 : i + half);
                out[first] = x[first] * Math.cos(a) - x[second] * Math.sin(a);
                out[second] = x[second] * Math.cos(a) + x[first] * Math.sin(a);
            }
        }
        return out;
    }

    private static List<RopeFrequencies> frequencies(int rotaryDim) {
        return List.of(
                RopeFrequencies.of(10000, rotaryDim),
                new RopeFrequencies(1e6, rotaryDim, 4, null),
                new RopeFrequencies(500000, rotaryDim, 1, LLAMA3));
    }

    @Test
    @DisplayName("O4.10 rope_neox: partial rotation, scalings, id types, dtypes, offsets; the rest is left alone")
    void neox() {
        double[] positions = {0, 1, 77, 131071};
        for (Queue queue : InlineQueue.all()) {
            for (DType dtype : List.of(DType.F32, DType.BF16)) {
                for (int offset : Data.OFFSETS) {
                    for (int d : new int[] {2, 64, 70}) {
                        for (RopeFrequencies f : frequencies(d == 70 ? 64 : d)) {
                            Tensor q = Data.of(dtype, offset, 0, Data.random(1, 4L * 3 * d), 4, 3, d);
                            Tensor k = Data.of(dtype, offset, 0, Data.random(2, 4L * d), 4, 1, d);
                            Tensor at = Data.of(offset == 4 ? DType.I64 : DType.I32, offset, 0, positions, 4);
                            double[] eq = rotated(Data.read(q), 3, d, positions, f, false);
                            double[] ek = rotated(Data.read(k), 1, d, positions, f, false);
                            assertEquals(Outcome.SERVED, new RopeNeoxKernel().run(queue, q, k, at, f, null));
                            Data.assertClose(eq, q, 1, dtype + " q d=" + d);
                            Data.assertClose(ek, k, 1, dtype + " k d=" + d);
                            Data.assertOutsideUntouched(q, "rope_neox");
                        }
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("O4.10 rope_neox: each pair is rotated by the position of its section")
    void sections() {
        double[] positions = {0, 5, 131071, 3, 77, 9, 40, 1, 2};
        RopeFrequencies f = RopeFrequencies.of(10000, 12);
        MropeSections sections = new MropeSections(3, 1, 2);
        int[] axes = {0, 0, 0, 1, 2, 2};
        for (Queue queue : InlineQueue.all()) {
            for (DType ids : List.of(DType.I32, DType.I64)) {
                Tensor q = Data.of(DType.F32, 0, 0, Data.random(1, 3L * 2 * 14), 3, 2, 14);
                Tensor k = Data.of(DType.F32, 4, 0, Data.random(2, 3L * 14), 3, 1, 14);
                double[] eq = Data.read(q);
                double[] ek = Data.read(k);
                for (int pair = 0; pair < axes.length; pair++) {
                    double[] at = Arrays.copyOfRange(positions, axes[pair] * 3, axes[pair] * 3 + 3);
                    take(pair, rotated(Data.read(q), 2, 14, at, f, false), eq);
                    take(pair, rotated(Data.read(k), 1, 14, at, f, false), ek);
                }
                Tensor at = Data.of(ids, 0, 0, positions, 3, 3);
                assertEquals(Outcome.SERVED, new RopeNeoxKernel().run(queue, q, k, at, f, sections));
                Data.assertClose(eq, q, 1, "q");
                Data.assertClose(ek, k, 1, "k");
            }
        }
    }

    /** Copies a pair of each head of 14 elements, of which 12 are rotated. */
    private static void take(int pair, double[] from, double[] to) {
        for (int head = 0; head < from.length; head += 14) {
            to[head + pair] = from[head + pair];
            to[head + pair + 6] = from[head + pair + 6];
        }
    }

    @Test
    @DisplayName("rope_cos_sin_cache: angles of every scaling, with and without factors")
    void cosSin() {
        double[] positions = {0, 3, 4095, 1048575};
        for (Queue queue : InlineQueue.all()) {
            for (RopeFrequencies f : frequencies(64)) {
                for (boolean divided : new boolean[] {false, true}) {
                    Tensor factors = divided ? Data.of(DType.F32, 4, 0, positive(Data.random(3, 32)), 32) : null;
                    Tensor out = Data.empty(DType.F32, 8, 0, 4, 64);
                    new RopeCosSinCacheKernel().run(queue, out, Data.of(DType.I32, positions, 4), f, factors);
                    double[] expected = new double[256];
                    for (int i = 0; i < 128; i++) {
                        double by = factors == null ? 1 : Data.get(factors, i % 32);
                        double a = angle(f, i % 32, positions[i / 32]) / by;
                        expected[i / 32 * 64 + i % 32] = Math.cos(a);
                        expected[i / 32 * 64 + 32 + i % 32] = Math.sin(a);
                    }
                    Data.assertClose(expected, out, 1, "cos_sin " + f);
                    Data.assertOutsideUntouched(out, "cos_sin");
                }
            }
        }
    }

    private static double[] positive(double[] x) {
        return java.util.Arrays.stream(x).map(v -> 1 + v * v).toArray();
    }

    @Test
    @DisplayName("O4.10 rope_from_cache: both pairings, padded rows, no k, offsets")
    void fromCache() {
        double[] positions = {5, 0, 9};
        RopeFrequencies f = RopeFrequencies.of(100, 6);
        double[] all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        for (Queue queue : InlineQueue.all()) {
            for (int offset : Data.OFFSETS) {
                Tensor table = Data.empty(DType.F32, offset, 0, 10, 6);
                new RopeCosSinCacheKernel().run(queue, table, Data.of(DType.I64, all, 10), f, null);
                for (boolean pairs : new boolean[] {false, true}) {
                    for (DType dtype : List.of(DType.F32, DType.BF16)) {
                        Tensor q = columns(dtype, offset, 2, 3, 2, 8);
                        Tensor k = offset == 8 ? null : columns(dtype, offset, 3, 3, 1, 8);
                        double[] eq = rotated(Data.read(q), 2, 8, positions, f, pairs);
                        double[] ek = k == null ? null : rotated(Data.read(k), 1, 8, positions, f, pairs);
                        Tensor at = Data.of(DType.I32, offset, 0, positions, 3);
                        assertEquals(
                                Outcome.SERVED, new RopeFromCacheKernel().run(queue, q, k, table, at, pairs, null));
                        Data.assertClose(eq, q, 1, dtype + " q pairs=" + pairs);
                        Data.assertOutsideUntouched(q, "q");
                        if (k != null) {
                            Data.assertClose(ek, k, 1, dtype + " k pairs=" + pairs);
                            Data.assertOutsideUntouched(k, "k");
                        }
                    }
                }
            }
        }
    }

    /** Heads inside a fused buffer: rows are 5 elements longer than the heads. */
    private static Tensor columns(DType dtype, long offset, long seed, long t, long h, long d) {
        long row = h * d + 5;
        HostBlock block = new HostBlock(offset + t * row * dtype.elementBytes() + 64);
        Tensor x = Tensor.strided(block, offset, dtype, new long[] {t, h, d}, new long[] {row, d, 1});
        double[] values = Data.random(seed, x.elements());
        for (int i = 0; i < values.length; i++) {
            Data.put(x, i, values[i]);
        }
        return x;
    }

    @Test
    @DisplayName("rope_from_cache: a position outside the table fails before anything is rotated")
    void outside() {
        for (long bad : new long[] {-1, 4}) {
            Tensor table = Data.of(DType.F32, Data.random(1, 8), 4, 2);
            Tensor q = Data.of(DType.F32, Data.random(2, 4), 2, 1, 2);
            double[] before = Data.read(q);
            Tensor at = Data.of(DType.I64, new double[] {0, bad}, 2);
            VtException e = assertThrows(
                    VtException.class,
                    () -> new RopeFromCacheKernel()
                            .run(new InlineQueue(InlineQueue.Cut.WHOLE), q, null, table, at, false, null));
            assertEquals("op rope_from_cache on cpu:0: positions[1]: expected 0 to 3, given " + bad, e.getMessage());
            Data.assertClose(before, q, 1, "untouched");
        }
    }
}
