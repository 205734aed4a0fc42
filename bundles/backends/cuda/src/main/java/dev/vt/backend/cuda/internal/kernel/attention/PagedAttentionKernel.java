package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.AttentionParams;
import dev.vt.ops.kernel.PagedAttention;
import org.jspecify.annotations.Nullable;

/**
 * {@code paged_attention}: one launch leaves partial results of all rows in scratch memory and finds whatever is wrong with lengths and
 * blocks on the way; a second one merges them into the output.
 */
final class PagedAttentionKernel implements PagedAttention {
    private static final Outcome LONG_HEAD = Outcome.declined("a head has more than 256 elements");
    private static final Outcome MANY_HEADS =
            Outcome.declined("there are more heads than a grid has blocks in a direction");

    /** The most blocks that a grid has in its second and third dimension. */
    private static final long MOST_HEADS = 65535;

    private static final int THREADS = 128;
    private static final int SITES = FaultSite.PAGED_STARTS.number()
            | FaultSite.PAGED_LENGTHS.number() << 8
            | FaultSite.PAGED_TABLE.number() << 16;

    private final RowFunctions f32 = new RowFunctions("f32");
    private final RowFunctions f16 = new RowFunctions("f16");
    private final RowFunctions bf16 = new RowFunctions("bf16");
    private final MatrixFunctions matrix = new MatrixFunctions();
    private final PartsMerge merge;

    PagedAttentionKernel(PartsMerge merge) {
        this.merge = merge;
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            Tensor query,
            Tensor kCache,
            Tensor vCache,
            Tensor blockTable,
            Tensor seqLens,
            Tensor queryStartLoc,
            AttentionParams params) {
        Outcome no = decline(out, query, kCache, vCache);
        no = no != null ? no : Operand.dense(blockTable);
        no = no != null ? no : Operand.dense(seqLens);
        no = no != null ? no : Operand.dense(queryStartLoc);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, query, kCache, vCache, blockTable, seqLens, queryStartLoc);
        }
        if (out.elements() > 0) {
            launch(cuda, out, query, kCache, vCache, blockTable, seqLens, queryStartLoc, params);
        }
        return Outcome.SERVED;
    }

    private static @Nullable Outcome decline(Tensor out, Tensor query, Tensor kCache, Tensor vCache) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(query);
        no = no != null ? no : Operand.aligned(kCache);
        no = no != null ? no : Operand.aligned(vCache);
        if (no != null) {
            return no;
        }
        if (query.dim(2) > RowFunctions.MOST) {
            return LONG_HEAD;
        }
        if (query.dim(1) > MOST_HEADS) {
            return MANY_HEADS;
        }
        return Math.multiplyExact(query.dim(0), query.dim(1)) > Grid.MAX ? Declines.MANY_ROWS : null;
    }

    private void launch(
            LaunchQueue cuda,
            Tensor out,
            Tensor query,
            Tensor kCache,
            Tensor vCache,
            Tensor blockTable,
            Tensor seqLens,
            Tensor queryStartLoc,
            AttentionParams params) {
        long rows = query.dim(0);
        long heads = query.dim(1);
        long kvHeads = kCache.dim(2);
        long dim = query.dim(2);
        long group = heads / kvHeads;
        boolean wide = wide(kCache, dim) && wide(vCache, dim);
        boolean units = MatrixFunctions.serves(cuda.capability(), kCache, dim, group, wide && Operand.at16(query, dim));
        KernelFunction attend =
                units ? matrix.of(query, dim, group) : functions(kCache).of(dim, wide, group > 1);
        int together = units ? MatrixFunctions.heads(group) : group > 1 ? RowFunctions.GROUP : 1;
        long chunks = Math.ceilDiv(group, together);
        int parts = Parts.count(rows * kvHeads * chunks, blockTable.dim(1) * kCache.dim(1));
        try (Launch launch = cuda.launch(attend, Parts.bytes(rows, heads, parts, dim))) {
            launch.scratch(0)
                    .tensor(query)
                    .i32(Operand.type(query))
                    .i32((int) heads)
                    .i32((int) kvHeads)
                    .i32((int) dim);
            cache(launch, kCache, vCache);
            launch.tensor(blockTable)
                    .i32((int) blockTable.dim(1))
                    .i32((int) kCache.dim(0))
                    .i32((int) kCache.dim(1))
                    .tensor(seqLens)
                    .tensor(queryStartLoc)
                    .i32((int) seqLens.dim(0))
                    .i32((int) rows)
                    .f32(params.scale())
                    .f32(params.softCap())
                    .i32(params.causal() ? 1 : 0)
                    .i32(params.window())
                    .i32(SITES)
                    .run(rows, kvHeads * chunks, parts, THREADS, 0);
            merge.launch(cuda, out, null, parts);
        }
    }

    private static void cache(Launch launch, Tensor k, Tensor v) {
        launch.tensor(k).tensor(v).i64(Operand.outerStride(k)).i64(Operand.outerStride(v));
    }

    private RowFunctions functions(Tensor cache) {
        return cache.dtype() == DType.F32 ? f32 : cache.dtype() == DType.F16 ? f16 : bf16;
    }

    /** True when heads can be read 16 bytes at a time. */
    private static boolean wide(Tensor cache, long dim) {
        return Operand.at16(cache, dim) && Operand.at16(cache, Operand.outerStride(cache));
    }
}
