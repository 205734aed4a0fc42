package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vt.api.VtException;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Products of experts with nvfp4 weights")
class QuantExpertsTest {
    private static final int EXPERTS = 3;
    private static final float[] SCALE2 = {0.5f, 0.25f, 0.75f};
    private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT_UNALIGNED;

    /** The weights of all experts. */
    private record Weights(Tensor[] packed, Tensor[] scale, int n, int k) {
        static Weights random(int n, int k) {
            Tensor[] packed = new Tensor[EXPERTS];
            Tensor[] scale = new Tensor[EXPERTS];
            for (int e = 0; e < EXPERTS; e++) {
                packed[e] = QuantData.codes(e, n, k / 2);
                scale[e] = QuantData.scales(7 + e, n, k / 16);
            }
            return new Weights(packed, scale, n, k);
        }

        double at(int e, long n, long k) {
            return QuantData.nvfp4(packed[e], scale[e], n, k);
        }
    }

    private static Tensor addresses(Tensor... targets) {
        Tensor t = Data.empty(DType.I64, 0, 0, targets.length);
        for (int i = 0; i < targets.length; i++) {
            t.segment().set(ValueLayout.JAVA_LONG, 8L * i, targets[i].segment().address() + targets[i].offset());
        }
        return t;
    }

    private static Tensor scale2() {
        return Data.of(DType.F32, new double[] {SCALE2[0], SCALE2[1], SCALE2[2]}, EXPERTS);
    }

    private static InlineQueue knowing(InlineQueue.Cut cut, Weights w) {
        InlineQueue queue = new InlineQueue(cut);
        for (int e = 0; e < EXPERTS; e++) {
            queue.known.add(w.packed[e].segment());
            queue.known.add(w.scale[e].segment());
        }
        return queue;
    }

    @Test
    @DisplayName("moe_grouped_gemm_nvfp4: each row by its expert's weight in bf16, with and without a row map")
    void grouped() {
        for (InlineQueue.Cut cut : InlineQueue.Cut.values()) {
            for (int[] size : new int[][] {{5, 7, 32}, {1, 1, 16}, {140, 3, 48}, {4, 0, 16}, {4, 3, 0}}) {
                for (DType result : new DType[] {DType.F32, DType.BF16}) {
                    grouped(cut, result, size[0], size[1], size[2], false);
                    grouped(cut, result, size[0], size[1], size[2], true);
                }
            }
        }
    }

    private static void grouped(InlineQueue.Cut cut, DType result, int p, int n, int k, boolean mapped) {
        Weights w = Weights.random(n, k);
        Tensor act = Data.of(DType.BF16, Data.random(1, (long) p * k), p, k);
        Tensor ids = Data.empty(DType.I32, 0, 0, p);
        Tensor map = Data.empty(DType.I32, 0, 0, p);
        for (int i = 0; i < p; i++) {
            // Expert 1 has no row.
            Data.put(ids, i, i * 7 % 5 < 2 ? 0 : 2);
            Data.put(map, i, (i * 3 + 1) % p);
        }
        Tensor out = Data.empty(result, 0, 0, p, n);
        Tensor rowMap = mapped ? map : null;
        Outcome outcome = new MoeGroupedGemmNvfp4Kernel()
                .run(knowing(cut, w), out, act, ids, rowMap, addresses(w.packed), addresses(w.scale), scale2());
        assertEquals(Outcome.SERVED, outcome);
        double[] expected = new double[p * n];
        for (int i = 0; i < expected.length; i++) {
            int row = i / n;
            int e = (int) Data.get(ids, row);
            long source = mapped ? (long) Data.get(map, row) : row;
            for (int j = 0; j < k; j++) {
                double weight = QuantData.bf16(w.at(e, i % n, j) * SCALE2[e]);
                expected[i] += Data.get(act, source * k + j) * weight;
            }
        }
        Data.assertClose(expected, out, 100, "moe_grouped_gemm_nvfp4 " + p + "," + n + "," + k);
        Data.assertOutsideUntouched(out, "moe_grouped_gemm_nvfp4");
    }

    @Test
    @DisplayName(
            "moe_grouped_gemm_nvfp4: an expert, a row, an address that is not there fails before anything is written")
    void groupedFaults() {
        assertEquals(
                "op moe_grouped_gemm_nvfp4 on cpu:0: expertIds[1]: expected 0 to 2, given 3",
                fault(3, 0, false, false));
        assertEquals(
                "op moe_grouped_gemm_nvfp4 on cpu:0: rowMap[1]: expected 0 to 1, given 2", fault(0, 2, false, false));
        assertEquals(
                "op moe_grouped_gemm_nvfp4 on cpu:0: packed[2]: no block is at address 0", fault(2, 0, true, false));
        assertEquals(
                "op moe_grouped_gemm_nvfp4 on cpu:0: scales[2]: no block is at address 0", fault(2, 0, false, true));
        // The address of an expert that no row asks for is not looked at.
        assertEquals("", fault(1, 0, true, true));
    }

    private static String fault(int expert, int row, boolean noPacked, boolean noScale) {
        Weights w = Weights.random(4, 16);
        Tensor packed = addresses(w.packed);
        Tensor scale = addresses(w.scale);
        if (noPacked) {
            packed.segment().set(ValueLayout.JAVA_LONG, 16, 0);
        }
        if (noScale) {
            scale.segment().set(ValueLayout.JAVA_LONG, 16, 0);
        }
        Tensor ids = Data.of(DType.I32, new double[] {0, expert}, 2);
        Tensor map = Data.of(DType.I32, new double[] {0, row}, 2);
        Tensor act = Data.of(DType.F32, Data.random(1, 32), 2, 16);
        Tensor out = Data.empty(DType.F32, 0, 0, 2, 4);
        InlineQueue queue = knowing(InlineQueue.Cut.WHOLE, w);
        try {
            new MoeGroupedGemmNvfp4Kernel().run(queue, out, act, ids, map, packed, scale, scale2());
            return "";
        } catch (VtException e) {
            assertUntouched(out);
            return e.getMessage();
        }
    }

    private static void assertUntouched(Tensor t) {
        for (byte b : t.segment().toArray(ValueLayout.JAVA_BYTE)) {
            assertEquals(HostBlock.PATTERN, b);
        }
    }

    /** A call of the other op; 2 rows of act, 2 experts each, blocks of 4. */
    private static final class Marlin {
        private final Weights w = Weights.random(64, 32);
        private final Tensor act = Data.of(DType.BF16, Data.random(1, 64), 2, 32);
        private final Tensor out = Data.empty(DType.BF16, 0, 0, 4, 64);
        private final Tensor packed = Data.empty(DType.I32, 0, 0, EXPERTS, 2, 128);
        private final Tensor scale = Data.empty(DType.I8, 0, 0, EXPERTS, 2, 64);
        private final Tensor ids =
                Data.of(DType.I32, new double[] {3, 0, 4, 4, 1, 4, 4, 4, 9, 2, 4, 4, 0, 0, 0, 0}, 16);
        private final Tensor experts = Data.of(DType.I32, new double[] {2, 0, -1, 7}, 4);
        private final Tensor count = Data.of(DType.I32, new double[] {12}, 1);
        private final Tensor topk = Data.of(DType.F32, new double[] {0.5, 0.25, 2, 1.5}, 2, 2);
        private final Tensor locks = Data.of(DType.I32, new double[] {0, 0}, 2);

        Marlin() {
            packed.segment().fill((byte) 0);
            int[] order = {0, 2, 4, 6, 1, 3, 5, 7};
            int[] rows = {0, 1, 8, 9};
            for (int e = 0; e < EXPERTS; e++) {
                for (int tile = 0; tile < 2; tile++) {
                    for (int thread = 0; thread < 32; thread++) {
                        for (int warp = 0; warp < 4; warp++) {
                            pack(e, tile, thread, warp, order, rows);
                        }
                    }
                    for (int c = 0; c < 64; c++) {
                        int column = c / 8 + c % 8 * 8;
                        QuantData.set(
                                scale, (e * 2 + tile) * 64 + c, (byte) QuantData.get(w.scale[e], column * 2 + tile));
                    }
                }
            }
        }

        /** One word, as a thread of the packing program makes it. */
        private void pack(int e, int tile, int thread, int warp, int[] order, int[] rows) {
            int word = 0;
            for (int i = 0; i < 8; i++) {
                int k = tile * 16 + thread % 4 * 2 + rows[order[i] % 4];
                int n = warp * 16 + thread / 4 + order[i] / 4 * 8;
                int pair = QuantData.get(w.packed[e], n * 16L + k / 2);
                word |= (k % 2 == 0 ? pair & 15 : pair >> 4) << 4 * i;
            }
            packed.segment().set(I32, 4L * ((e * 2 + tile) * 128 + thread * 4 + warp), word);
        }

        Outcome run(InlineQueue.Cut cut, Tensor weights) {
            return new MoeGroupedGemmNvfp4MarlinKernel()
                    .run(
                            new InlineQueue(cut),
                            out,
                            act,
                            packed,
                            scale,
                            scale2(),
                            ids,
                            experts,
                            count,
                            weights,
                            locks,
                            4,
                            2);
        }

        double[] expected(boolean weighted) {
            double[] y = new double[4 * 64];
            int[] expertOf = {2, 0, -1, 2};
            for (int row = 0; row < 4; row++) {
                for (int n = 0; expertOf[row] >= 0 && n < 64; n++) {
                    double sum = 0;
                    for (int k = 0; k < 32; k++) {
                        sum += Data.get(act, row / 2 * 32 + k) * w.at(expertOf[row], n, k);
                    }
                    y[row * 64 + n] = sum * SCALE2[expertOf[row]] * (weighted ? Data.get(topk, row) : 1);
                }
            }
            return y;
        }
    }

    @Test
    @DisplayName(
            "moe_grouped_gemm_nvfp4_marlin: packed words, permuted scales, padding, expert -1, weights of the router")
    void marlin() {
        for (InlineQueue.Cut cut : InlineQueue.Cut.values()) {
            Marlin call = new Marlin();
            assertEquals(Outcome.SERVED, call.run(cut, null));
            Data.assertClose(call.expected(false), call.out, 30, "marlin");
            assertEquals(Outcome.SERVED, call.run(cut, call.topk));
            Data.assertClose(call.expected(true), call.out, 60, "marlin, weighted");
            Data.assertOutsideUntouched(call.out, "marlin");
            assertArrayEquals(new double[] {0, 0}, Data.read(call.locks));
        }
    }

    @Test
    @DisplayName("moe_grouped_gemm_nvfp4_marlin: rows that no entry names stay as they are")
    void unnamedRows() {
        Marlin call = new Marlin();
        Data.put(call.count, 0, 4);
        call.run(InlineQueue.Cut.WHOLE, null);
        byte[] row = new byte[128];
        Arrays.fill(row, HostBlock.PATTERN);
        assertArrayEquals(row, call.out.segment().asSlice(128, 128).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    @DisplayName("moe_grouped_gemm_nvfp4_marlin: a wrong count, expert or row fails before anything is written")
    void marlinFaults() {
        String op = "op moe_grouped_gemm_nvfp4_marlin on cpu:0: ";
        Marlin count = new Marlin();
        Data.put(count.count, 0, 10);
        assertEquals(op + "numTokensPostPadded[0]: expected a multiple of 4, given 10", refusal(count));
        Marlin many = new Marlin();
        Data.put(many.count, 0, 20);
        assertEquals(op + "numTokensPostPadded[0]: expected 0 to 16, given 20", refusal(many));
        Marlin expert = new Marlin();
        Data.put(expert.count, 0, 16);
        assertEquals(op + "expertIds[3]: expected -1 to 2, given 7", refusal(expert));
        Marlin row = new Marlin();
        Data.put(row.ids, 5, -2);
        assertEquals(op + "sortedTokenIds[5]: expected 0 to 2147483647, given -2", refusal(row));
    }

    private static String refusal(Marlin call) {
        String message = assertThrows(VtException.class, () -> call.run(InlineQueue.Cut.WHOLE, null))
                .getMessage();
        assertUntouched(call.out);
        return message;
    }
}
