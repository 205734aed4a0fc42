package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.AttentionParams;
import java.util.BitSet;
import java.util.List;

/** {@code paged_attention}: several requests, prefill and decode at once, grouped heads, window, soft cap. */
final class PagedAttentions {
    /** Scores, exponentials, quotient, and what a score that is off by a rounding does to a weight. */
    private static final double ROUNDINGS = 24;

    private static final int WINDOW = 2;
    private static final int SOFT_CAP = 3;
    private static final int ALL_TOKENS = 4;
    private static final int WINDOW_AND_CAP = 5;
    private static final int OTHER_TYPES = 6;
    private static final int BLOCK_OUTSIDE = 7;

    private PagedAttentions() {}

    static List<OpSpec> all() {
        return List.of(OpSpec.of(OpTable.PAGED_ATTENTION, "RxLxHqxHkxDxS")
                .dtypes(Dtypes.FLOATS)
                .variants(
                        "",
                        "prefill",
                        "window",
                        "soft cap",
                        "not causal",
                        "window and soft cap",
                        "other types",
                        "block outside")
                .quickVariants(2)
                .except(PagedAttentions::noFault)
                .quick("1x9x2x2x32x4", "3x11x4x2x24x5")
                .full(
                        "0x5x2x1x8x4",
                        "1x1x1x1x1x1",
                        "2x16x3x1x33x16",
                        "4x31x6x2x64x15",
                        "3x257x8x1x127x16",
                        "5x102x4x4x128x17",
                        "9x64x2x1x40x32")
                .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO)
                .measures(PagedAttentions::decode)
                .makes(PagedAttentions::attention));
    }

    private static boolean noFault(CasePlan plan) {
        return plan.variant() == BLOCK_OUTSIDE && (plan.dims()[0] == 0 || plan.pattern() != Pattern.NORMAL);
    }

    /** One query each, over as many tokens as the case says or fewer; or prefill, decode and nothing, side by side. */
    private static PagedRequests requests(Draft d) {
        int tokens = d.dim(1);
        int size = d.dim(5);
        boolean decode = d.variant() == 0;
        return PagedRequests.make(d, d.dim(0), size, new PagedRequests.Kind() {
            @Override
            public int rows(int r) {
                return decode ? 1 : new int[] {7, 1, 0, 3, size}[r % 5];
            }

            @Override
            public int before(int r) {
                return new int[] {tokens - 1, tokens / 2, 3, 0, tokens - 1}[r % 5];
            }
        });
    }

    private static AttentionParams params(Draft d, int dim) {
        boolean window = d.variant() == WINDOW || d.variant() == WINDOW_AND_CAP;
        boolean cap = d.variant() == SOFT_CAP || d.variant() == WINDOW_AND_CAP;
        return new AttentionParams(
                (float) (1 / Math.sqrt(dim)), d.variant() != ALL_TOKENS, window ? d.dim(5) + 1 : 0, cap ? 1.5f : 0f);
    }

    private static void attention(Draft d) {
        int heads = d.dim(2);
        int kvHeads = d.dim(3);
        int dim = d.dim(4);
        boolean other = d.variant() == OTHER_TYPES;
        PagedRequests requests = requests(d);
        // Rows behind the last request are there to keep a shape; nobody reads or writes them.
        int rows = requests.rows() + (d.variant() == 0 ? 0 : 2);
        Operand out = d.out("out", other ? d.otherStored() : d.stored(), rows, heads, dim);
        Operand query = d.data("query", d.dtype(), rows, heads, dim);
        DType cached = other ? d.otherStored() : d.dtype();
        Operand k = requests.cache(d, "kCache", cached, kvHeads, dim);
        Operand v = requests.cache(d, "vCache", cached, kvHeads, dim);
        int[] table = requests.table().clone();
        if (d.variant() == BLOCK_OUTSIDE) {
            table[0] = requests.blocks();
            d.fails("blockTable");
        }
        AttentionParams params = params(d, dim);
        out.expect(() -> reference(requests, params, rows, query, k, v));
        calls(d, requests, table, params);
    }

    /** What is measured: each request has one query, over as many tokens as the case says, in blocks without any order. */
    private static void decode(Draft d) {
        int kvHeads = d.dim(3);
        int dim = d.dim(4);
        PagedRequests requests = PagedRequests.make(d, d.dim(0), d.dim(5), new PagedRequests.Kind() {
            @Override
            public int rows(int r) {
                return 1;
            }

            @Override
            public int before(int r) {
                return d.dim(1) - 1;
            }
        });
        d.out("out", d.stored(), d.dim(0), d.dim(2), dim);
        d.data("query", d.dtype(), d.dim(0), d.dim(2), dim);
        d.repeating("kCache", d.dtype(), requests.blocks(), requests.size(), kvHeads, dim);
        d.repeating("vCache", d.dtype(), requests.blocks(), requests.size(), kvHeads, dim);
        calls(d, requests, requests.table(), params(d, dim));
    }

    private static void calls(Draft d, PagedRequests requests, int[] table, AttentionParams params) {
        d.integers("blockTable", DType.I32, i -> table[(int) i], requests.requests(), requests.width());
        d.integers("seqLens", DType.I32, i -> requests.lengths()[(int) i], requests.requests());
        d.integers("queryStartLoc", DType.I32, i -> requests.starts()[(int) i], requests.requests() + 1);
        d.flops(flops(requests, d.dim(2), d.dim(4)));
        d.call((ops, q, t) -> ops.pagedAttention(q, t[0], t[1], t[2], t[3], t[4], t[5], t[6], params));
    }

    private static double flops(PagedRequests requests, int heads, int dim) {
        double pairs = 0;
        for (int r = 0; r < requests.requests(); r++) {
            pairs += (double) (requests.starts()[r + 1] - requests.starts()[r]) * requests.lengths()[r];
        }
        return 4 * pairs * heads * dim;
    }

    private static Expected reference(
            PagedRequests requests, AttentionParams params, int rows, Operand query, Operand k, Operand v) {
        int heads = (int) query.shape()[1];
        int dim = (int) query.shape()[2];
        int group = heads / (int) k.shape()[2];
        double[] y = new double[rows * heads * dim];
        double[] sizes = new double[y.length];
        for (int r = 0; r < requests.requests(); r++) {
            int first = requests.starts()[r];
            for (int row = first; row < requests.starts()[r + 1]; row++) {
                int position = requests.lengths()[r] - requests.starts()[r + 1] + row;
                int end = params.causal() ? position + 1 : requests.lengths()[r];
                int begin = params.window() == 0 ? 0 : Math.max(0, position + 1 - params.window());
                for (int h = 0; h < heads; h++) {
                    int[] places = new int[end - begin];
                    for (int i = 0; i < places.length; i++) {
                        places[i] = (requests.slot(r, begin + i) * (heads / group) + h / group) * dim;
                    }
                    Softmax.attend(
                            params,
                            query.values(),
                            (row * heads + h) * dim,
                            dim,
                            k.values(),
                            v.values(),
                            places,
                            y,
                            sizes);
                }
            }
        }
        BitSet untouched = new BitSet();
        untouched.set(requests.rows() * heads * dim, y.length);
        return Expected.close(y, sizes, ROUNDINGS + Expected.sumOf(requests.longest()))
                .untouched(untouched);
    }
}
