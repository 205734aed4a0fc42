package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** Multi-head latent attention: {@code mla_decode_attention}, {@code mla_prefill_attention}. */
final class LatentAttention {
    private LatentAttention() {}

    static List<OpSpec> all() {
        return List.of(
                // B requests, H heads, keys of D and values of V elements, S tokens in pages of P.
                OpSpec.of(OpTable.MLA_DECODE_ATTENTION, "BxHxDxVxSxP")
                        .dtypes(Dtypes.STORED)
                        .variants("", "lse", "length-outside", "block-outside")
                        .quick("1x2x8x4x5x2", "3x5x36x32x17x16", "4x16x48x32x33x8")
                        .full(
                                "0x4x8x4x5x2",
                                "2x0x8x4x5x2",
                                "2x3x8x0x5x2",
                                "1x1x1x1x1x1",
                                "3x15x17x17x31x1",
                                "2x17x72x64x64x64",
                                "5x33x20x3x130x3",
                                "1x128x576x512x67x16",
                                "2x4x576x512x257x64")
                        .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.ZERO)
                        .makes(LatentAttention::decode),
                // R sequences of up to Q rows over up to K keys, H heads, keys of D and values of V elements.
                OpSpec.of(OpTable.MLA_PREFILL_ATTENTION, "RxQxKxHxDxV")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "full", "lse", "full-lse", "rows-outside", "keys-outside")
                        .quick("1x3x5x2x8x4", "3x9x17x3x36x32", "4x17x33x4x48x32")
                        .full(
                                "0x3x5x2x8x4",
                                "2x0x5x2x8x4",
                                "2x3x0x2x8x4",
                                "2x3x5x0x8x4",
                                "2x3x5x2x8x0",
                                "1x1x1x1x1x1",
                                "9x2x3x1x7x11",
                                "3x15x31x2x127x64",
                                "2x16x16x3x192x128",
                                "1x67x131x2x192x128")
                        .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.ZERO)
                        .makes(LatentAttention::prefill));
    }

    private static void decode(Draft d) {
        int requests = d.dim(0);
        int heads = d.dim(1);
        int width = d.dim(2);
        int valueWidth = d.dim(3);
        int longest = d.dim(4);
        int page = d.dim(5);
        boolean logs = d.variant() == 1;
        Operand out = d.out("out", d.dtype(), requests, heads, valueWidth);
        Operand lse = logs ? d.out("lse", DType.F32, requests, heads) : null;
        Operand query = d.data("query", d.dtype(), requests, heads, width);
        int[] lengths = new int[requests];
        // The first is the longest, the third sees nothing.
        Arrays.setAll(lengths, r -> r == 0 ? longest : r == 2 ? 0 : d.random().nextInt(longest + 1));
        Pages pages = new Pages(d, lengths, Math.ceilDiv(longest, page) + 1, page);
        Operand cache = d.of("cache", d.dtype(), pages.values(d, width), pages.blocks, page, width)
                .mayPad();
        if (d.variant() == 3) {
            pages.spoil(0);
        }
        d.integers("blockTable", DType.I32, i -> pages.table[(int) i], requests, pages.perRequest);
        int far = pages.perRequest * page + 1;
        d.integers("seqLens", DType.I32, r -> d.variant() == 2 && r == 0 ? far : lengths[(int) r], requests);
        if (requests > 0 && d.variant() >= 2) {
            d.fails(d.variant() == 2 ? "seqLens[0]" : "blockTable[0]");
        }
        float scale = (float) (1 / Math.sqrt(width));
        Supplier<SoftmaxSums> sums = () -> {
            SoftmaxSums s = new SoftmaxSums(requests * heads, width, valueWidth, longest, scale);
            for (int r = 0; r < requests * heads; r++) {
                int request = r / heads;
                IntUnaryOperator at = j -> pages.slot(request, j) * width;
                s.row(
                        r,
                        query.values(),
                        r * width,
                        new SoftmaxSums.Seen(lengths[request], cache.values(), at, cache.values(), at));
            }
            return s;
        };
        out.expect(() -> sums.get().results());
        if (lse != null) {
            lse.expect(() -> sums.get().logarithms());
        }
        d.flops(2.0 * heads * (width + valueWidth) * Arrays.stream(lengths).sum());
        d.call((ops, q, t) -> ops.mlaDecodeAttention(
                q,
                t[0],
                logs ? t[1] : null,
                t[logs ? 2 : 1],
                t[logs ? 3 : 2],
                t[logs ? 4 : 3],
                t[logs ? 5 : 4],
                scale));
    }

    private static void prefill(Draft d) {
        int sequences = d.dim(0);
        int heads = d.dim(3);
        int width = d.dim(4);
        int valueWidth = d.dim(5);
        boolean causal = d.variant() != 1 && d.variant() != 3;
        boolean logs = d.variant() == 2 || d.variant() == 3;
        int[] rows = bounds(d, sequences, d.dim(1));
        int[] keys = bounds(d, sequences, d.dim(2));
        // One row and one key more than any sequence has.
        int tokens = rows[sequences] + 1;
        int all = keys[sequences] + 1;
        Operand out = d.out("out", d.stored(), tokens, heads, valueWidth);
        Operand lse = logs ? d.out("lse", DType.F32, heads, tokens) : null;
        Operand query = d.normal("query", d.dtype(), tokens, heads, width);
        boolean inValues = d.pattern() == Pattern.INFINITE;
        Operand key =
                inValues ? d.normal("key", d.dtype(), all, heads, width) : d.data("key", d.dtype(), all, heads, width);
        Operand value = inValues
                ? d.data("value", d.dtype(), all, heads, valueWidth)
                : d.normal("value", d.dtype(), all, heads, valueWidth);
        d.integers("cuSeqlensQ", DType.I32, i -> outside(d, 4, i, rows, tokens), sequences + 1);
        d.integers("cuSeqlensK", DType.I32, i -> outside(d, 5, i, keys, all), sequences + 1);
        if (d.variant() >= 4) {
            d.fails((d.variant() == 4 ? "cuSeqlensQ[" : "cuSeqlensK[") + sequences + "]");
        }
        float scale = (float) (1 / Math.sqrt(width));
        Supplier<SoftmaxSums> sums = () -> {
            SoftmaxSums s = new SoftmaxSums(tokens * heads, width, valueWidth, d.dim(2), scale);
            for (int n = 0; n < sequences; n++) {
                for (int r = rows[n] * heads; r < rows[n + 1] * heads; r++) {
                    int head = r % heads;
                    int first = keys[n];
                    int behind = causal ? rows[n + 1] - 1 - r / heads : 0;
                    SoftmaxSums.Seen seen = new SoftmaxSums.Seen(
                            Math.max(0, keys[n + 1] - first - behind),
                            key.values(),
                            j -> ((first + j) * heads + head) * width,
                            value.values(),
                            j -> ((first + j) * heads + head) * valueWidth);
                    s.row(r, query.values(), r * width, seen);
                }
            }
            return s;
        };
        out.expect(() -> sums.get().results());
        if (lse != null) {
            lse.expect(() -> sums.get().logarithmsByHead(heads));
        }
        d.flops(2.0 * heads * (width + valueWidth) * d.dim(1) * d.dim(2) * sequences);
        d.call((ops, q, t) -> ops.mlaPrefillAttention(
                q,
                t[0],
                logs ? t[1] : null,
                t[logs ? 2 : 1],
                t[logs ? 3 : 2],
                t[logs ? 4 : 3],
                t[logs ? 5 : 4],
                t[logs ? 6 : 5],
                scale,
                causal));
    }

    /** Bounds of sequences of up to {@code most} rows; the first is as long as that. */
    private static int[] bounds(Draft d, int sequences, int most) {
        int[] bounds = new int[sequences + 1];
        for (int i = 0; i < sequences; i++) {
            bounds[i + 1] = bounds[i] + (i == 0 ? most : d.random().nextInt(most + 1));
        }
        return bounds;
    }

    /** A bound, the last of them one too far in the variant that is to fail. */
    private static long outside(Draft d, int variant, long i, int[] bounds, int rows) {
        return d.variant() == variant && i == bounds.length - 1 ? rows + 1 : bounds[(int) i];
    }
}
