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
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The samplers that touch single logits, and the one that compares drafts. */
class SingleLogitsKernelsTest {
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final double NAN = Double.NaN;

    private static Tensor ints(double... values) {
        return Data.of(DType.I32, 4, 0, values, values.length);
    }

    private static Tensor floats(double... values) {
        return Data.of(DType.F32, 4, 0, values, values.length);
    }

    @Test
    @DisplayName("apply_logit_bias: adds in order, twice where named twice, and leaves the rest alone")
    void logitBias() {
        for (Queue queue : InlineQueue.all()) {
            Tensor logits = Data.of(DType.F32, 8, 0, new double[] {1, 2, 3, 4, -INF, NAN}, 2, 3);
            Tensor rows = ints(0, 1, 1, 0, 1, 0);
            Tensor cols = ints(0, 1, 2, 0, 0, 2);
            Tensor bias = floats(1e8, 5, 5, -1e8, INF, -3);
            assertEquals(Outcome.SERVED, new ApplyLogitBiasKernel().run(queue, logits, rows, cols, bias));
            // 1 + 1e8 has no room for the 1 in f32.
            assertArrayEquals(new double[] {0, 2, 0, INF, -INF, NAN}, Data.read(logits));
            Data.assertOutsideUntouched(logits, "apply_logit_bias");
        }
    }

    @Test
    @DisplayName("apply_token_mask: negative infinity where named, a NaN included")
    void tokenMask() {
        for (Queue queue : InlineQueue.all()) {
            Tensor logits = Data.of(DType.F32, 8, 0, new double[] {1, 2, 3, 4, 5, NAN}, 2, 3);
            new ApplyTokenMaskKernel().run(queue, logits, ints(0, 1, 0), ints(1, 2, 1));
            assertArrayEquals(new double[] {1, -INF, 3, 4, 5, -INF}, Data.read(logits));
            new ApplyTokenMaskKernel().run(queue, logits, ints(), ints());
            assertArrayEquals(new double[] {1, -INF, 3, 4, 5, -INF}, Data.read(logits));
            Data.assertOutsideUntouched(logits, "apply_token_mask");
        }
    }

    @Test
    @DisplayName("apply_allowed_token_ids: any bit of the mask excludes; widths around the pieces, every cut")
    void allowedTokenIds() {
        for (Queue queue : InlineQueue.all()) {
            for (int v : new int[] {0, 1, 5, 2048, 2049}) {
                double[] mask = Data.random(v, 2L * v);
                for (int i = 0; i < mask.length; i++) {
                    mask[i] = mask[i] > 0.5 ? -128 : mask[i] < -0.5 ? 1 : 0;
                }
                Tensor logits = Data.of(DType.F32, 4, 0, Data.random(3, 2L * v), 2, v);
                double[] want = Data.read(logits);
                for (int i = 0; i < want.length; i++) {
                    want[i] = mask[i] == 0 ? want[i] : -INF;
                }
                new ApplyAllowedTokenIdsKernel().run(queue, logits, Data.of(DType.I8, 1, 0, mask, 2, v));
                assertArrayEquals(want, Data.read(logits));
                Data.assertOutsideUntouched(logits, "apply_allowed_token_ids");
            }
        }
    }

    @Test
    @DisplayName("apply_logit_bias, apply_token_mask: a place outside the logits fails before a store")
    void outside() {
        Queue queue = new InlineQueue(InlineQueue.Cut.WHOLE);
        Tensor logits = Data.of(DType.F32, Data.random(1, 6), 2, 3);
        double[] before = Data.read(logits);
        Tensor zeros = floats(9, 9);
        for (int[] bad : new int[][] {{2, 0}, {-1, 0}, {0, 3}, {0, -1}, {Integer.MIN_VALUE, 0}}) {
            Tensor rows = ints(0, bad[0]);
            Tensor cols = ints(0, bad[1]);
            String place = bad[1] == 0 ? "rows[1]: expected 0 to 1, given " : "cols[1]: expected 0 to 2, given ";
            fails(
                    "op apply_logit_bias on cpu:0: " + place,
                    () -> new ApplyLogitBiasKernel().run(queue, logits, rows, cols, zeros));
            fails(
                    "op apply_token_mask on cpu:0: " + place,
                    () -> new ApplyTokenMaskKernel().run(queue, logits, rows, cols));
            assertArrayEquals(before, Data.read(logits));
        }
    }

    private static void fails(String start, Executable call) {
        VtException e = assertThrows(VtException.class, call);
        assertTrue(e.getMessage().startsWith(start), e.getMessage());
    }

    /** Rows whose argmax is as given. */
    private static Tensor rowsWithBest(int v, int... best) {
        Tensor logits = Data.of(DType.F32, 4, 0, Data.random(v, (long) best.length * v), best.length, v);
        for (int r = 0; r < best.length; r++) {
            Data.put(logits, (long) r * v + best[r], 2);
        }
        return logits;
    }

    @Test
    @DisplayName("greedy_rejection_sample: drafts stand up to the first that the row before did not choose")
    void rejection() {
        for (Queue queue : InlineQueue.all()) {
            for (int v : new int[] {6, 8193}) {
                Tensor logits = rowsWithBest(v, 1, 2, 3, 4, 5, 0, 1, 2);
                Tensor draft = ints(9, 1, 2, 9, 9, 7, -1, 9);
                Tensor cu = ints(0, 3, 4, 4, 7, 8);
                Tensor sampled = Data.empty(DType.I32, 8, 0, 5, 4);
                Tensor num = Data.empty(DType.I32, 4, 0, 5);
                Outcome outcome = new GreedyRejectionSampleKernel().run(queue, sampled, num, logits, draft, cu);
                assertEquals(Outcome.SERVED, outcome);
                assertArrayEquals(new double[] {3, 1, 0, 1, 1}, Data.read(num));
                assertArrayEquals(
                        new double[] {1, 2, 3, -1, 4, -1, -1, -1, -1, -1, -1, -1, 5, -1, -1, -1, 2, -1, -1, -1},
                        Data.read(sampled));
                Data.assertOutsideUntouched(sampled, "sampled");
                Data.assertOutsideUntouched(num, "num");
            }
        }
    }

    @Test
    @DisplayName("O4.13 greedy_rejection_sample: the argmax takes a NaN for the largest, ties go to the lowest token")
    void rejectionNan() {
        Queue queue = new InlineQueue(InlineQueue.Cut.WHOLE);
        Tensor logits = Data.of(DType.F32, new double[] {0, NAN, INF, 7, 7, 7}, 2, 3);
        Tensor sampled = Data.empty(DType.I32, 0, 0, 1, 2);
        Tensor num = Data.empty(DType.I32, 0, 0, 1);
        new GreedyRejectionSampleKernel().run(queue, sampled, num, logits, ints(0, 1), ints(0, 2));
        assertArrayEquals(new double[] {1, 0}, Data.read(sampled));
    }

    @Test
    @DisplayName("greedy_rejection_sample: bounds that fall, lie outside or are too wide fail before a store")
    void rejectionBounds() {
        Queue queue = new InlineQueue(InlineQueue.Cut.WHOLE);
        Tensor logits = rowsWithBest(4, 1, 2, 3);
        Tensor draft = ints(0, 0, 0);
        for (double[] bad : new double[][] {{-1, 1, 2}, {0, 2, 1}, {0, 1, 4}, {0, 3, 3}, {4, 4, 4}}) {
            Tensor sampled = Data.empty(DType.I32, 0, 0, 2, 2);
            Tensor num = Data.empty(DType.I32, 0, 0, 2);
            double[] before = Data.read(sampled);
            fails(
                    "op greedy_rejection_sample on cpu:0: cu[",
                    () -> new GreedyRejectionSampleKernel().run(queue, sampled, num, logits, draft, ints(bad)));
            assertArrayEquals(before, Data.read(sampled));
        }
    }

    @Test
    @DisplayName("O4.11 greedy_rejection_sample: no requests, no rows, no columns to choose from")
    void rejectionEmpty() {
        for (Queue queue : InlineQueue.all()) {
            Tensor none = ints();
            Tensor noRows = Data.empty(DType.F32, 0, 0, 0, 0);
            Tensor sampled = Data.empty(DType.I32, 0, 0, 1, 2);
            Tensor num = Data.empty(DType.I32, 0, 0, 1);
            new GreedyRejectionSampleKernel().run(queue, sampled, num, noRows, none, ints(0, 0));
            assertArrayEquals(new double[] {-1, -1}, Data.read(sampled));
            assertArrayEquals(new double[] {0}, Data.read(num));
            Tensor narrow = Data.empty(DType.F32, 0, 0, 1, 0);
            assertEquals(
                    Declines.NO_COLUMNS,
                    new GreedyRejectionSampleKernel().run(queue, sampled, num, narrow, ints(0), ints(0, 1)));
        }
    }
}
