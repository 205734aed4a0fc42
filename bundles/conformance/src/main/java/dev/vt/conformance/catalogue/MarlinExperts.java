package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** Products of an expert layer with weights in Marlin's order: {@code moe_grouped_gemm_nvfp4_marlin}. */
final class MarlinExperts {
    private static final int WEIGHTED = 1;
    private static final int UNKNOWN = 2;
    private static final int CUT = 3;
    private static final int EXPERT_OUTSIDE = 4;
    private static final int HALF_A_BLOCK = 5;
    private static final int NEGATIVE_ROW = 6;

    private static final int TOP_K = 2;
    private static final int BLOCK = 8;

    private MarlinExperts() {}

    static List<OpSpec> all() {
        return List.of(OpSpec.of(OpTable.MOE_GROUPED_GEMM_NVFP4_MARLIN, "TxExKxN")
                .dtypes(DType.BF16)
                .variants(
                        "",
                        "weights",
                        "unknown expert",
                        "blocks left out",
                        "expert outside",
                        "half a block",
                        "negative row")
                .quickVariants(UNKNOWN + 1)
                .except(MarlinExperts::nothingToBeWrong)
                .quick("1x2x32x64", "3x4x48x128", "9x3x64x192")
                .full("0x2x16x64", "1x1x16x64", "4x2x0x64", "40x2x80x64", "17x7x256x128", "3x2x1024x64")
                .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO)
                .makes(MarlinExperts::products));
    }

    private static boolean nothingToBeWrong(CasePlan p) {
        return p.variant() >= EXPERT_OUTSIDE && (p.dims()[0] == 0 || p.pattern() != Pattern.NORMAL);
    }

    /** The rows of each expert, padded to whole blocks. */
    private record Routing(List<Integer> ids, List<Integer> experts, int[] expertOf) {
        static Routing random(Draft d, int tokens, int experts) {
            int rows = tokens * TOP_K;
            Routing routing = new Routing(new ArrayList<>(), new ArrayList<>(), new int[rows]);
            for (int r = 0; r < rows; r++) {
                routing.expertOf[r] = d.random().nextInt(experts);
            }
            for (int e = 0; e < experts; e++) {
                routing.add(e);
            }
            return routing;
        }

        private void add(int expert) {
            int before = ids.size();
            for (int r = 0; r < expertOf.length; r++) {
                if (expertOf[r] == expert) {
                    ids.add(r);
                }
            }
            while (ids.size() % BLOCK != 0) {
                ids.add(expertOf.length + ids.size() % 2);
            }
            for (int i = before; i < ids.size(); i += BLOCK) {
                experts.add(expert);
            }
        }
    }

    private static void products(Draft d) {
        int tokens = d.dim(0);
        int experts = d.dim(1);
        int k = d.dim(2);
        int n = d.dim(3);
        int rows = tokens * TOP_K;
        Routing routing = Routing.random(d, tokens, experts);
        int blocks = routing.experts.size();
        Operand out = d.out("out", DType.BF16, rows, n);
        Operand act = d.data("act", DType.BF16, tokens, k);
        byte[] codes = SmallFloats.codes(d.random(), experts * n * k / 2);
        byte[] scales = SmallFloats.scales(d.random(), Pattern.NORMAL, experts * n, k / 16);
        d.bytes("packed", DType.I32, packed(codes, experts, k, n), experts, k / 16, 2L * n);
        d.bytes("scale", DType.I8, permuted(scales, k / 16, n), experts, k / 16, n);
        Operand scale2 = d.uniform("scale2", 0.1, 1, DType.F32, experts);
        // One block more than there are rows for, with what must not be looked at.
        Operand ids = d.integers("sortedTokenIds", DType.I32, i -> id(d, routing, i), (blocks + 1L) * BLOCK);
        Operand expertIds = d.integers("expertIds", DType.I32, b -> expert(d, routing, b, experts), blocks + 1L);
        int counted = d.variant() == CUT ? blocks / 2 : blocks;
        int extra = d.variant() == HALF_A_BLOCK ? BLOCK / 2 : 0;
        d.integers("numTokensPostPadded", DType.I32, i -> (long) counted * BLOCK + extra, 1);
        d.integers("workspace", DType.I32, i -> 0, 4);
        Operand weights = d.variant() == WEIGHTED ? d.uniform("topkWeights", 0.1, 1, DType.F32, tokens, TOP_K) : null;
        switch (d.variant()) {
            case EXPERT_OUTSIDE -> d.fails("expertIds[0]");
            case HALF_A_BLOCK -> d.fails("numTokensPostPadded[0]");
            case NEGATIVE_ROW -> d.fails("sortedTokenIds[0]");
            default -> {}
        }
        out.expect(() -> {
            int[] expertOf = new int[rows];
            Arrays.fill(expertOf, Integer.MIN_VALUE);
            for (int i = 0; i < counted * BLOCK; i++) {
                if (ids.integers()[i] < rows) {
                    expertOf[(int) ids.integers()[i]] = (int) expertIds.integers()[i / BLOCK];
                }
            }
            double[] factors = new double[rows];
            for (int r = 0; r < rows; r++) {
                double factor = expertOf[r] < 0 ? 0 : scale2.values()[expertOf[r]];
                factors[r] = weights == null ? factor : factor * weights.values()[r];
            }
            return sums(act.values(), SmallFloats.nvfp4(codes, scales), expertOf, factors, n, k);
        });
        d.flops(2.0 * rows * k * n);
        d.call((ops, q, t) -> ops.moeGroupedGemmNvfp4Marlin(
                q, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t.length > 9 ? t[9] : null, t[8], BLOCK, TOP_K));
    }

    private static long id(Draft d, Routing routing, long i) {
        if (d.variant() == NEGATIVE_ROW && i == 0) {
            return -1;
        }
        return i < routing.ids.size() ? routing.ids.get((int) i) : 0;
    }

    private static long expert(Draft d, Routing routing, long block, int experts) {
        if (d.variant() == EXPERT_OUTSIDE && block == 0) {
            return experts;
        }
        if (d.variant() == UNKNOWN && block == 0) {
            return -1;
        }
        return block < routing.experts.size() ? routing.experts.get((int) block) : experts + 5L;
    }

    /** Rows of no expert are left alone, rows of expert -1 become 0. */
    private static Expected sums(double[] act, double[] w, int[] expertOf, double[] factors, int n, int k) {
        double[] y = new double[expertOf.length * n];
        double[] sizes = new double[y.length];
        BitSet untouched = new BitSet();
        for (int i = 0; i < y.length; i++) {
            int row = i / n;
            untouched.set(i, expertOf[row] == Integer.MIN_VALUE);
            for (int j = 0; expertOf[row] >= 0 && j < k; j++) {
                double term = act[row / TOP_K * k + j] * w[(expertOf[row] * n + i % n) * k + j] * factors[row];
                y[i] += term;
                sizes[i] += Math.abs(term);
            }
        }
        // Two products behind the sum.
        return Expected.close(y, sizes, Expected.sumOf(k) + 2).untouched(untouched);
    }

    /**
     * Codes [e,n,k], two a byte, as the words that 32 threads of 4 groups of 16 columns read: thread t holds columns t / 4 and 8 more,
     * rows t % 4 * 2 and 1, 8, 9 more, even slots first.
     */
    private static byte[] packed(byte[] codes, int experts, int k, int n) {
        int[] rowOf = {0, 8, 0, 8, 1, 9, 1, 9};
        int[] columnOf = {0, 0, 8, 8, 0, 0, 8, 8};
        ByteBuffer out =
                ByteBuffer.allocate(experts * k / 16 * 2 * n * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        while (out.hasRemaining()) {
            int word = out.position() / Integer.BYTES;
            int group = word % 4;
            int thread = word / 4 % 32;
            int tile = word / 128 % (n / 64);
            int row = word / (2 * n) % (k / 16);
            int expert = word / (2 * n) / (k / 16);
            int value = 0;
            for (int slot = 7; slot >= 0; slot--) {
                int i = row * 16 + thread % 4 * 2 + rowOf[slot];
                int column = tile * 64 + group * 16 + thread / 4 + columnOf[slot];
                int pair = codes[((expert * n + column) * k + i) / 2] & 0xff;
                value = value * 16 + (i % 2 == 0 ? pair % 16 : pair / 16);
            }
            out.putInt(value);
        }
        return out.array();
    }

    /** Scales [e,n,g] as [e,g,n], in each 64 columns first those that are multiples of 8, then those 1 more, and so on. */
    private static byte[] permuted(byte[] scales, int groups, int n) {
        byte[] out = new byte[scales.length];
        for (int i = 0; i < out.length; i++) {
            int at = i % n;
            int column = at / 64 * 64 + at % 8 * 8 + at % 64 / 8;
            int group = i / n % groups;
            int expert = i / n / groups;
            out[i] = scales[(expert * n + column) * groups + group];
        }
        return out;
    }
}
