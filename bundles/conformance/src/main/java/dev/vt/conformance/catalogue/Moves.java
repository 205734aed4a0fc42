package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Ops that only move rows: {@code embedding}, {@code qkv_split}, {@code reshape_and_cache}. */
final class Moves {
    private static final int LONG_IDS = 1;
    private static final int OTHER_OUT = 2;
    private static final int ID_TOO_LARGE = 3;
    private static final int ID_NEGATIVE = 4;

    private static final int OTHER_CACHE = 1;
    private static final int SLOT_TOO_LARGE = 2;

    private Moves() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.EMBEDDING, "TxVxH")
                        .dtypes(tables())
                        .variants("", "i64 ids", "other out", "id too large", "id negative")
                        .quickVariants(1)
                        .except(p -> p.dims()[2] % p.dtype().blockElements() != 0)
                        .except(p -> faulty(p, ID_TOO_LARGE))
                        .quick("2x9x33", "3x11x256")
                        .full("0x5x256", "1x1x256", "5x7x1", "4x3x127", "7x13x512", "1x1021x257", "17x5x2048")
                        .patterns(Pattern.NAN_MIDDLE, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO, Pattern.LARGE)
                        .makes(Moves::embedding),
                OpSpec.of(OpTable.QKV_SPLIT, "TxQxKxV")
                        .dtypes(Dtypes.STORED)
                        .quick("1x64x32x32", "3x33x7x12")
                        .full("0x8x4x4", "1x1x1x1", "2x127x128x129", "5x256x0x64", "3x0x1x2", "2x2048x512x512")
                        .patterns(
                                Pattern.NAN_MIDDLE,
                                Pattern.NAN_ALL,
                                Pattern.INFINITE,
                                Pattern.DENORMAL,
                                Pattern.ZERO,
                                Pattern.LARGE)
                        .makes(Moves::qkvSplit),
                OpSpec.of(OpTable.RESHAPE_AND_CACHE, "TxHxDxBxS")
                        .dtypes(Dtypes.FLOATS)
                        .variants("", "other cache", "slot too large")
                        .quickVariants(1)
                        .except(p -> p.variant() == OTHER_CACHE && p.dtype() == DType.F16)
                        .except(p -> faulty(p, SLOT_TOO_LARGE))
                        .quick("2x1x64x2x4", "7x2x33x3x5")
                        .full(
                                "0x2x8x3x4",
                                "1x1x1x1x1",
                                "5x3x127x4x16",
                                "16x2x128x1x16",
                                "17x1x129x5x7",
                                "64x8x128x9x16")
                        .patterns(Pattern.NAN_MIDDLE, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO, Pattern.LARGE)
                        .makes(Moves::reshapeAndCache));
    }

    /** What is wrong needs a token to be wrong at, and no pattern. */
    private static boolean faulty(CasePlan plan, int first) {
        return plan.variant() >= first && (plan.dims()[0] == 0 || plan.pattern() != Pattern.NORMAL);
    }

    private static List<DType> tables() {
        List<DType> types = new ArrayList<>(Dtypes.FLOATS);
        types.addAll(Dtypes.BLOCKS);
        return types;
    }

    private static void embedding(Draft d) {
        int t = d.dim(0);
        int rows = d.dim(1);
        int h = d.dim(2);
        DType stored = d.dtype().isBlock() ? DType.F32 : d.stored();
        DType other = d.dtype().isBlock() ? DType.BF16 : d.otherStored();
        Operand out = d.out("out", d.variant() == OTHER_OUT ? other : stored, t, h);
        Operand table = d.data("table", d.dtype(), rows, h);
        DType idType = d.variant() == LONG_IDS || d.variant() == ID_NEGATIVE ? DType.I64 : DType.I32;
        // The last token asks for the last row, or for what is not there.
        long last = switch (d.variant()) {
            case ID_TOO_LARGE -> rows;
            case ID_NEGATIVE -> -1;
            default -> rows - 1;
        };
        Operand ids =
                d.integers("ids", idType, i -> i == t - 1 ? last : d.random().nextLong(rows), t);
        if (d.variant() >= ID_TOO_LARGE) {
            d.fails("ids[" + (t - 1) + "]");
        }
        out.expect(() -> {
            double[] y = new double[t * h];
            long[] at = ids.integers();
            for (int i = 0; i < y.length; i++) {
                y[i] = table.values()[(int) at[i / h] * h + i % h];
            }
            // A block's element is a difference of two products that f32 holds exactly.
            return d.dtype().isBlock() ? Expected.close(y, 2) : Expected.exact(y);
        });
        d.touching(t * (d.dtype().rowBytes(h) + out.dtype().rowBytes(h)));
        d.call((ops, q, ts) -> ops.embedding(q, ts[0], ts[1], ts[2]));
    }

    private static void qkvSplit(Draft d) {
        int t = d.dim(0);
        int width = d.dim(1) + d.dim(2) + d.dim(3);
        Operand[] parts = {
            d.out("q", d.dtype(), t, d.dim(1)), d.out("k", d.dtype(), t, d.dim(2)), d.out("v", d.dtype(), t, d.dim(3))
        };
        Operand qkv = d.data("qkv", d.dtype(), t, width);
        int from = 0;
        for (Operand part : parts) {
            int start = from;
            int n = (int) part.shape()[1];
            part.expect(() -> {
                double[] y = new double[t * n];
                for (int i = 0; i < y.length; i++) {
                    y[i] = qkv.values()[i / n * width + start + i % n];
                }
                return Expected.exact(y);
            });
            from += n;
        }
        d.call((ops, q, ts) -> ops.qkvSplit(q, ts[0], ts[1], ts[2], ts[3]));
    }

    private static void reshapeAndCache(Draft d) {
        int t = d.dim(0);
        int heads = d.dim(1);
        int dim = d.dim(2);
        int blocks = d.dim(3);
        int size = d.dim(4);
        DType cache = d.variant() == OTHER_CACHE ? d.otherStored() : d.stored();
        Operand k = d.data("k", d.dtype(), t, heads, dim);
        Operand v = d.normal("v", d.dtype(), t, heads, dim);
        Operand kCache = d.normal("kCache", cache, blocks, size, heads, dim).mayPad();
        Operand vCache = d.normal("vCache", cache, blocks, size, heads, dim).mayPad();
        long[] slots = slots(d, t, blocks * size);
        d.integers("slotMapping", DType.I64, i -> slots[(int) i], t);
        kCache.expect(() -> cached(kCache, k, slots, heads * dim));
        vCache.expect(() -> cached(vCache, v, slots, heads * dim));
        if (d.variant() == SLOT_TOO_LARGE) {
            d.fails("slotMapping[" + (t - 1) + "]");
        }
        d.touching(4L * t * heads * dim * cache.elementBytes());
        d.call((ops, q, ts) -> ops.reshapeAndCache(q, ts[0], ts[1], ts[2], ts[3], ts[4]));
    }

    /** Slots in no order, none twice; every third token, and what has no room, goes nowhere. */
    private static long[] slots(Draft d, int t, int room) {
        int[] places = d.shuffled(room);
        long[] slots = new long[t];
        for (int i = 0; i < t; i++) {
            slots[i] = i % 3 == 1 || i >= room ? -1 - 1000L * i : places[i];
        }
        if (d.variant() == SLOT_TOO_LARGE) {
            slots[t - 1] = room;
        }
        return slots;
    }

    private static Expected cached(Operand cache, Operand rows, long[] slots, int width) {
        double[] y = cache.values().clone();
        BitSet untouched = new BitSet();
        untouched.set(0, y.length);
        for (int t = 0; t < slots.length; t++) {
            for (int i = 0; slots[t] >= 0 && i < width; i++) {
                y[(int) slots[t] * width + i] = rows.values()[t * width + i];
                untouched.clear((int) slots[t] * width + i);
            }
        }
        return Expected.exact(y).untouched(untouched);
    }
}
