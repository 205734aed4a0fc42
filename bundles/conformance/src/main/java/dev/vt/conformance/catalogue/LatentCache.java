package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.BitSet;
import java.util.List;

/** Data in and out of the latent cache: {@code concat_and_cache_mla}, {@code gather_mla_cache}, {@code concat_mla_nope_rope}. */
final class LatentCache {
    private LatentCache() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.CONCAT_AND_CACHE_MLA, "TxRxPxB")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "skips-and-twice", "bf16-cache", "slot-outside")
                        .quick("1x8x4x2", "5x33x7x4", "6x64x16x16")
                        .full(
                                "0x8x4x2",
                                "3x0x4x2",
                                "3x8x0x2",
                                "1x1x1x1",
                                "17x127x65x3",
                                "3x512x64x16",
                                "67x16x16x64",
                                "2x2047x3x1")
                        .patterns(Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.ZERO)
                        .makes(LatentCache::concatAndCache),
                OpSpec.of(OpTable.GATHER_MLA_CACHE, "SxNxDxB")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "starts", "f32-dst", "start-unaligned", "block-outside", "owner-outside")
                        .quick("1x3x8x2", "3x9x33x4", "4x17x64x3")
                        .full("0x0x8x2", "2x0x8x2", "2x3x0x2", "1x1x1x1", "7x65x127x16", "3x64x576x64", "2x131x31x1")
                        .makes(LatentCache::gather),
                OpSpec.of(OpTable.CONCAT_MLA_NOPE_ROPE, "TxHxNxP")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "shared-rope", "strided", "strided-shared-rope")
                        .quick("1x2x8x4", "3x5x33x7", "4x4x64x32")
                        .full(
                                "0x4x8x4",
                                "3x0x8x4",
                                "3x2x0x4",
                                "3x2x8x0",
                                "1x1x1x1",
                                "7x3x127x65",
                                "2x128x128x64",
                                "5x16x512x64")
                        .patterns(Pattern.NAN_FIRST, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.ZERO)
                        .makes(LatentCache::concat));
    }

    private static void concatAndCache(Draft d) {
        int t = d.dim(0);
        int latent = d.dim(1);
        int rotated = d.dim(2);
        int page = d.dim(3);
        int width = latent + rotated;
        int blocks = Math.ceilDiv(t, page) + 2;
        Operand kv = d.data("kvC", d.dtype(), t, latent);
        Operand pe = d.data("kPe", d.dtype(), t, rotated);
        DType stored = d.variant() == 2 ? DType.BF16 : d.stored();
        Operand cache = d.normal("cache", stored, blocks, page, width).mayPad();
        int[] slots = d.shuffled(blocks * page);
        if (d.variant() == 1) {
            // Every third token has no slot, and the last takes that of the first.
            for (int i = 1; i < t; i += 3) {
                slots[i] = -1 - i;
            }
            slots[Math.max(0, t - 1)] = slots[0];
        }
        if (d.variant() == 3 && t > 0) {
            slots[t - 1] = blocks * page;
            d.fails("slotMapping[" + (t - 1) + "]");
        }
        d.integers("slotMapping", DType.I64, i -> slots[(int) i], t);
        cache.expect(() -> {
            double[] rows = cache.values().clone();
            for (int i = 0; i < t; i++) {
                for (int c = 0; c < width && slots[i] >= 0; c++) {
                    rows[slots[i] * width + c] =
                            c < latent ? kv.values()[i * latent + c] : pe.values()[i * rotated + c - latent];
                }
            }
            return Expected.exact(rows);
        });
        d.touching(2L * t * width * stored.elementBytes());
        d.call((ops, q, ts) -> ops.concatAndCacheMla(q, ts[0], ts[1], ts[2], ts[3]));
    }

    private static void gather(Draft d) {
        int sequences = d.dim(0);
        int n = d.dim(1);
        int width = d.dim(2);
        int page = d.dim(3);
        boolean starts = d.variant() == 1 || d.variant() == 3;
        int[] lengths = new int[sequences];
        int[] owner = new int[n];
        for (int t = 0; t < n; t++) {
            owner[t] = (int) ((long) t * sequences / n);
            lengths[owner[t]]++;
        }
        int[] start = new int[sequences];
        int[] bounds = new int[sequences + 1];
        int[] cached = new int[sequences];
        int perRequest = 1;
        for (int s = 0; s < sequences; s++) {
            start[s] = starts ? page * d.random().nextInt(3) : 0;
            bounds[s + 1] = bounds[s] + lengths[s];
            cached[s] = start[s] + lengths[s];
            perRequest = Math.max(perRequest, Math.ceilDiv(cached[s], page) + 1);
        }
        Pages pages = new Pages(d, cached, perRequest, page);
        DType stored = d.variant() == 2 ? DType.F32 : d.stored();
        Operand dst = d.out("dst", stored, n + 2, width);
        Operand cache = d.of("cache", d.dtype(), pages.values(d, width), pages.blocks, page, width)
                .mayPad();
        boolean bad = n > 0;
        if (bad && d.variant() == 4) {
            pages.spoil(owner[0]);
            d.fails("blockTable[" + owner[0] + "]");
        }
        d.integers("blockTable", DType.I32, i -> pages.table[(int) i], sequences, perRequest);
        d.integers("cuSeqLens", DType.I32, i -> bounds[(int) i], sequences + 1);
        int far = d.variant() == 5 ? sequences : 0;
        d.integers("tokenToSeq", DType.I32, t -> t == n - 1 && far > 0 ? far : owner[(int) t], n);
        if (starts) {
            boolean unaligned = bad && d.variant() == 3 && page > 1;
            d.integers("seqStarts", DType.I32, s -> unaligned && s == 0 ? 1 : start[(int) s], sequences);
            if (unaligned) {
                d.fails("seqStarts[0]");
            }
        }
        if (bad && far > 0) {
            d.fails("tokenToSeq[" + (n - 1) + "]");
        }
        dst.expect(() -> {
            double[] rows = new double[(n + 2) * width];
            for (int t = 0; t < n; t++) {
                int s = owner[t];
                int from = pages.slot(s, start[s] + t - bounds[s]) * width;
                System.arraycopy(cache.values(), from, rows, t * width, width);
            }
            BitSet behind = new BitSet();
            behind.set(n * width, (n + 2) * width);
            return Expected.exact(rows).untouched(behind);
        });
        d.touching((long) n * width * (stored.elementBytes() + d.dtype().elementBytes()));
        d.call((ops, q, ts) -> ops.gatherMlaCache(q, ts[0], ts[1], ts[2], ts[3], ts[4], starts ? ts[5] : null));
    }

    private static void concat(Draft d) {
        int t = d.dim(0);
        int heads = d.dim(1);
        int plain = d.dim(2);
        int rotated = d.dim(3);
        int width = plain + rotated;
        boolean strided = d.variant() >= 2;
        int ropeHeads = d.variant() % 2 == 1 ? 1 : heads;
        Operand out = d.out("out", d.dtype(), t, heads, width).mayPad();
        Operand nope = d.data("nope", d.dtype(), t, heads, plain).mayPad();
        Operand rope = d.data("rope", d.dtype(), t, ropeHeads, rotated).mayPad();
        if (strided) {
            // Heads first in memory; columns of wider rows; a gap between heads.
            out.strides(width, (long) t * width, 1);
            nope.strides(heads * (plain + 5L), plain + 5L, 1);
            rope.strides(ropeHeads * (rotated + 3L), rotated + 3L, 1);
        }
        out.expect(() -> {
            double[] y = new double[t * heads * width];
            for (int i = 0; i < y.length; i++) {
                int row = i / width;
                int c = i % width;
                int ropeRow = ropeHeads == 1 ? row / heads : row;
                y[i] = c < plain ? nope.values()[row * plain + c] : rope.values()[ropeRow * rotated + c - plain];
            }
            return Expected.exact(y);
        });
        d.call((ops, q, ts) -> ops.concatMlaNopeRope(q, ts[0], ts[1], ts[2]));
    }
}
