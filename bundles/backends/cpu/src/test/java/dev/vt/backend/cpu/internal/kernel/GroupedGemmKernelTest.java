package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GroupedGemmKernelTest {
    private static final int EXPERTS = 5;

    /** Weights of all experts in one block, and the table of their addresses. */
    private record Weights(Tensor matrices, Tensor addresses) {
        static Weights of(int k, int n) {
            Tensor m = Data.of(DType.BF16, 2, 0, Data.random(7, (long) EXPERTS * k * n), EXPERTS, k, n);
            return new Weights(m, addresses(m, k, n));
        }

        static Tensor addresses(Tensor matrices, int k, int n) {
            double[] addresses = new double[EXPERTS];
            for (int e = 0; e < EXPERTS; e++) {
                addresses[e] = matrices.segment().address() + matrices.offset() + 2.0 * e * k * n;
            }
            return Data.of(DType.I64, addresses, EXPERTS);
        }
    }

    private static double[] expected(Tensor act, Tensor ids, @Nullable Tensor map, Tensor w) {
        int k = (int) w.dim(1);
        int n = (int) w.dim(2);
        double[] want = new double[(int) ids.dim(0) * n];
        for (int p = 0; p < ids.dim(0); p++) {
            long row = map == null ? p : (long) Data.get(map, p);
            long expert = (long) Data.get(ids, p);
            for (int i = 0; i < k; i++) {
                double a = Data.get(act, row * k + i);
                for (int c = 0; c < n; c++) {
                    want[p * n + c] += a * Data.get(w, (expert * k + i) * n + c);
                }
            }
        }
        return want;
    }

    private static double[] ids(int count, int bound, int seed) {
        return new SplittableRandom(seed).ints(count, 0, bound).asDoubleStream().toArray();
    }

    @Test
    @DisplayName(
            "moe_grouped_gemm_bf16: sizes around its tiles, with and without a row map, the same bits for every cut")
    void sizes() {
        int[][] sizes = {{1, 1, 1}, {9, 3, 5}, {40, 129, 257}, {7, 256, 1}, {3, 0, 4}, {3, 4, 0}, {0, 4, 4}};
        for (int[] s : sizes) {
            Weights w = Weights.of(s[1], s[2]);
            Tensor act = Data.of(DType.BF16, Data.random(1, 6L * s[1]), 6, s[1]);
            Tensor wide = Data.of(DType.F32, Data.random(1, (long) s[0] * s[1]), s[0], s[1]);
            Tensor ids = Data.of(DType.I32, ids(s[0], EXPERTS, 3), s[0]);
            Tensor map = Data.of(DType.I32, ids(s[0], 6, 4), s[0]);
            double[] first = null;
            for (InlineQueue.Cut cut : InlineQueue.Cut.values()) {
                InlineQueue queue = new InlineQueue(cut);
                queue.known.add(w.matrices().segment());
                Tensor out = Data.empty(DType.F32, 4, 0, s[0], s[2]);
                new MoeGroupedGemmBf16Kernel().run(queue, out, act, ids, map, w.addresses());
                Data.assertClose(expected(act, ids, map, w.matrices()), out, 1 + s[1] / 8.0, "mapped");
                Data.assertOutsideUntouched(out, "moe_grouped_gemm_bf16");
                first = first == null ? Data.read(out) : first;
                assertArrayEquals(first, Data.read(out));
                Tensor narrow = Data.empty(DType.BF16, 2, 0, s[0], s[2]);
                new MoeGroupedGemmBf16Kernel().run(queue, narrow, wide, ids, null, w.addresses());
                Data.assertClose(expected(wide, ids, null, w.matrices()), narrow, 1 + s[1] / 8.0, "unmapped");
            }
        }
    }

    @Test
    @DisplayName("moe_grouped_gemm_bf16: ids, rows and addresses that are wrong fail the queue before a store")
    void faults() {
        try (CpuBackend backend = new CpuBackend(2);
                CpuQueue queue = backend.createQueue()) {
            int k = 3;
            int n = 4;
            Memory block = backend.allocate(2L * EXPERTS * k * n);
            Tensor w = Tensor.of(block, DType.BF16, EXPERTS, k, n);
            Tensor addresses = Weights.addresses(w, k, n);
            Tensor act = Data.of(DType.F32, Data.random(1, 6), 2, k);
            Tensor map = Data.of(DType.I32, new double[] {0, 2}, 2);
            double last = Data.get(addresses, EXPERTS - 1);
            fails(queue, act, ids(0, EXPERTS), null, addresses, "expertIds[1]: expected 0 to 4, given 5");
            fails(queue, act, ids(-1, 0), null, addresses, "expertIds[0]: expected 0 to 4, given -1");
            fails(queue, act, ids(0, 1), map, addresses, "rowMap[1]: expected 0 to 1, given 2");
            for (double wrong : new double[] {0, -8, 8, last + 2}) {
                Data.put(addresses, 2, wrong);
                fails(queue, act, ids(1, 2), null, addresses, "weights[2]: backend cpu of cpu:0: expected 24 bytes");
            }
            // An expert that no row asks for needs no matrix.
            Tensor out = Data.empty(DType.F32, 0, 0, 2, n);
            new MoeGroupedGemmBf16Kernel().run(queue, out, act, ids(0, 4), null, addresses);
            queue.synchronize();
            block.close();
            fails(queue, act, ids(0, 4), null, addresses, "weights[0]: backend cpu of cpu:0: expected 24 bytes");
        }
    }

    private static Tensor ids(int first, int second) {
        return Data.of(DType.I32, new double[] {first, second}, 2);
    }

    private static void fails(
            Queue queue, Tensor act, Tensor ids, @Nullable Tensor map, Tensor addresses, String sentence) {
        Tensor out = Data.empty(DType.F32, 0, 0, 2, 4);
        double[] before = Data.read(out);
        new MoeGroupedGemmBf16Kernel().run(queue, out, act, ids, map, addresses);
        VtException e = assertThrows(VtException.class, queue::synchronize);
        String start = "op moe_grouped_gemm_bf16 on cpu:0: " + sentence;
        assertTrue(e.getMessage().contains(start), e.getMessage());
        assertArrayEquals(before, Data.read(out));
    }
}
