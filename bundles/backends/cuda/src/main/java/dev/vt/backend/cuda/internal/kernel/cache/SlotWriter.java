package dev.vt.backend.cuda.internal.kernel.cache;

import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.RangeCheck;
import dev.vt.backend.cuda.internal.kernel.support.Variants;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;

/**
 * Writes rows of tokens to slots of a paged cache: each token has a row in two operands. Where tokens are few each block finds by
 * itself whether its token has a slot of its own; else a launch before finds it for all. Immutable.
 */
final class SlotWriter {
    /** Elements that a thread moves at once. */
    private static final int WIDTH = 8;

    private static final int THREADS = 256;
    private static final int WARP = 32;
    private static final int MOST_THREADS = 1024;

    /** Places of the table of slots that shared memory holds; more are in scratch memory. */
    private static final int SHARED_PLACES = 32768;

    private final Variants narrow;
    private final Variants wide;
    private final KernelFunction slots;
    private final FaultSite site;

    SlotWriter(KernelModule module, FaultSite site) {
        this.narrow = new Variants(module, "cache_rows_1");
        this.wide = new Variants(module, "cache_rows_8");
        this.slots = module.function("cache_slots", SHARED_PLACES * Integer.BYTES);
        this.site = site;
    }

    /**
     * Writes the rows.
     *
     * @param first rows [T,n] or [T,...] whose elements go to a slot of {@code firstCache} from its first column on
     * @param second the same for {@code secondCache}, from a column on
     */
    void write(
            LaunchQueue cuda,
            Tensor first,
            Tensor firstCache,
            Tensor second,
            Tensor secondCache,
            long column,
            Tensor slotMapping) {
        int tokens = Math.toIntExact(slotMapping.elements());
        if (tokens == 0) {
            return;
        }
        long last = firstCache.dim(0) * firstCache.dim(1) - 1;
        boolean whole = atWidth(first, firstCache, 0) && atWidth(second, secondCache, column);
        KernelFunction copy = (whole ? wide : narrow).of(first, firstCache);
        if (tokens <= RangeCheck.FEW) {
            try (Launch launch = cuda.launch(copy)) {
                launch.tensor(slotMapping).address(0);
                rows(launch, first, firstCache, second, secondCache, column, tokens, last, whole);
            }
            return;
        }
        // A power of two, more than twice the tokens.
        int places = Integer.highestOneBit(tokens) << 2;
        long table = places <= SHARED_PLACES ? 0 : (long) places * Integer.BYTES;
        try (Launch launch = cuda.launch(slots, table + (long) tokens * Long.BYTES)) {
            launch.scratch(table).tensor(slotMapping).i32(tokens).i64(last).i32(site.number());
            (table == 0 ? launch.address(0) : launch.scratch(0))
                    .i32(places)
                    .run(1, 1, 1, MOST_THREADS, table == 0 ? places * Integer.BYTES : 0);
            try (Launch next = cuda.launch(copy)) {
                next.tensor(slotMapping).scratch(table);
                rows(next, first, firstCache, second, secondCache, column, tokens, last, whole);
            }
        }
    }

    private void rows(
            Launch launch,
            Tensor first,
            Tensor firstCache,
            Tensor second,
            Tensor secondCache,
            long column,
            int tokens,
            long last,
            boolean whole) {
        launch.i32(tokens).i64(last).i32(site.number()).i64(firstCache.dim(1));
        piece(launch, first, firstCache, 0);
        piece(launch, second, secondCache, column);
        long items = Math.ceilDiv(columns(first) + columns(second), whole ? WIDTH : 1);
        int threads = (int) Math.min(THREADS, Math.ceilDiv(Math.max(1, items), WARP) * WARP);
        launch.run(tokens, threads);
    }

    private static void piece(Launch launch, Tensor rows, Tensor cache, long column) {
        launch.tensor(rows)
                .element(cache, column)
                .i64(Operand.outerStride(cache))
                .i32((int) rowOf(cache))
                .i32((int) columns(rows));
    }

    /** Elements of a token's row. */
    private static long columns(Tensor rows) {
        return rows.dim(0) == 0 ? 0 : rows.elements() / rows.dim(0);
    }

    /** Elements of a slot. */
    private static long rowOf(Tensor cache) {
        long row = 1;
        for (int i = 2; i < cache.rank(); i++) {
            row *= cache.dim(i);
        }
        return row;
    }

    private static boolean atWidth(Tensor rows, Tensor cache, long column) {
        long row = rowOf(cache);
        return columns(rows) % WIDTH == 0
                && Operand.at16(rows, columns(rows))
                && Operand.at16(cache, Operand.outerStride(cache))
                && Operand.at16(cache, row)
                && Operand.at16(cache, column);
    }
}
