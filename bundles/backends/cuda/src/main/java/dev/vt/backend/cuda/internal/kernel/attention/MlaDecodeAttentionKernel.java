package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.MlaDecodeAttention;
import org.jspecify.annotations.Nullable;

/**
 * {@code mla_decode_attention}: 16 heads read a request's rows together; one launch leaves partial results in scratch memory and finds
 * wrong lengths and blocks on the way, a second one merges them.
 */
final class MlaDecodeAttentionKernel implements MlaDecodeAttention {
    private static final int SITES = FaultSite.LATENT_LENGTHS.number() << 8 | FaultSite.LATENT_TABLE.number() << 16;

    private final TileFunctions functions = new TileFunctions(Sources.of("latent_decode.cu"), "latent");
    private final PartsMerge merge;

    MlaDecodeAttentionKernel(PartsMerge merge) {
        this.merge = merge;
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Tensor cache,
            Tensor blockTable,
            Tensor seqLens,
            float scale) {
        Outcome no = decline(out, lse, query, cache);
        no = no != null ? no : Operand.dense(blockTable);
        no = no != null ? no : Operand.dense(seqLens);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, query, cache, blockTable, seqLens);
            if (lse != null) {
                cuda.uses(lse);
            }
        }
        if (query.dim(0) > 0) {
            attend(cuda, out, lse, query, cache, blockTable, seqLens, scale);
        }
        return Outcome.SERVED;
    }

    private void attend(
            LaunchQueue cuda,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Tensor cache,
            Tensor blockTable,
            Tensor seqLens,
            float scale) {
        long requests = query.dim(0);
        long heads = query.dim(1);
        long width = query.dim(2);
        long valueWidth = out.dim(2);
        // Without a head there are still lengths and blocks to look at.
        long groups = Math.max(1, Math.ceilDiv(heads, TileFunctions.ROWS));
        int parts = Parts.count(requests * groups, blockTable.dim(1) * cache.dim(1));
        long block = Operand.outerStride(cache);
        boolean packed = TileFunctions.packed(cache, width) && TileFunctions.packed(cache, block);
        try (Launch launch = cuda.launch(functions.of(valueWidth), Parts.bytes(requests, heads, parts, valueWidth))) {
            launch.scratch(0)
                    .tensor(query)
                    .tensor(cache)
                    .i32(Operand.type(query))
                    .i32(TileFunctions.packed(query, width) ? 1 : 0)
                    .i32(packed ? 1 : 0)
                    .i64(block)
                    .tensor(blockTable)
                    .i32((int) blockTable.dim(1))
                    .i32((int) cache.dim(0))
                    .i32((int) cache.dim(1))
                    .tensor(seqLens)
                    .i32((int) requests)
                    .i32((int) heads)
                    .i32((int) width)
                    .i32((int) valueWidth)
                    .f32(scale)
                    .i32(SITES)
                    .run(requests, groups, parts, TileFunctions.THREADS, TileFunctions.bytes(width, valueWidth, true));
            if (heads > 0) {
                merge.launch(cuda, out, lse, parts);
            }
        }
    }

    private static @Nullable Outcome decline(Tensor out, @Nullable Tensor lse, Tensor query, Tensor cache) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(lse);
        no = no != null ? no : Operand.dense(query);
        no = no != null ? no : Operand.aligned(cache);
        if (no == null && Math.multiplyExact(query.dim(0), query.dim(1)) > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        return no != null ? no : TileFunctions.decline(query.dim(1), query.dim(2), out.dim(2), true);
    }
}
