package dev.vt.backend.cuda.internal.kernel.cache;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.GatherMlaCache;
import org.jspecify.annotations.Nullable;

/** {@code gather_mla_cache}: one launch looks at all integer operands, the next one copies. */
final class GatherMlaCacheKernel implements GatherMlaCache {
    private static final int WIDTH = 8;
    private static final int CHECK_THREADS = 1024;

    private final KernelFunction check;
    private final KernelFunction single;
    private final KernelFunction wide;

    GatherMlaCacheKernel(KernelModule module) {
        check = module.function("gather_check");
        single = module.function("gather_1");
        wide = module.function("gather_" + WIDTH);
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor dst,
            Tensor cache,
            Tensor blockTable,
            Tensor cuSeqLens,
            Tensor tokenToSeq,
            @Nullable Tensor seqStarts) {
        Outcome no = Operand.dense(dst);
        no = no != null ? no : Operand.aligned(cache);
        no = no != null ? no : Operand.dense(blockTable);
        no = no != null ? no : Operand.dense(cuSeqLens);
        no = no != null ? no : Operand.dense(tokenToSeq);
        no = no != null ? no : Operand.dense(seqStarts);
        if (no == null && dst.dim(0) > Grid.MAX) {
            no = Declines.MANY_ROWS;
        }
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(dst, cache, blockTable, cuSeqLens, tokenToSeq);
            if (seqStarts != null) {
                cuda.uses(seqStarts);
            }
        }
        check(cuda, cache, blockTable, cuSeqLens, tokenToSeq, seqStarts);
        copy(cuda, dst, cache, blockTable, cuSeqLens, tokenToSeq, seqStarts);
        return Outcome.SERVED;
    }

    private void check(
            LaunchQueue cuda,
            Tensor cache,
            Tensor blockTable,
            Tensor cuSeqLens,
            Tensor tokenToSeq,
            @Nullable Tensor seqStarts) {
        try (Launch launch = cuda.launch(check)) {
            places(launch, cache, blockTable, cuSeqLens, tokenToSeq, seqStarts)
                    .i32((int) tokenToSeq.dim(0))
                    .i32(FaultSite.GATHER_BOUNDS.number())
                    .i32(FaultSite.GATHER_OWNERS.number())
                    .i32(FaultSite.GATHER_STARTS.number())
                    .i32(FaultSite.GATHER_TABLE.number())
                    .run(1, CHECK_THREADS);
        }
    }

    private void copy(
            LaunchQueue cuda,
            Tensor dst,
            Tensor cache,
            Tensor blockTable,
            Tensor cuSeqLens,
            Tensor tokenToSeq,
            @Nullable Tensor seqStarts) {
        long columns = dst.dim(1);
        long n = tokenToSeq.dim(0) * columns;
        if (n == 0) {
            return;
        }
        long block = Operand.outerStride(cache);
        boolean whole = columns % WIDTH == 0
                && Operand.at16(dst, columns)
                && Operand.at16(cache, columns)
                && Operand.at16(cache, block);
        long packs = whole ? n / WIDTH : n;
        try (Launch launch = cuda.launch(whole ? wide : single)) {
            launch.tensor(dst)
                    .i32(Operand.type(dst))
                    .tensor(cache)
                    .i32(Operand.type(cache))
                    .i64(block)
                    .i32((int) columns)
                    .i64(packs);
            places(launch, cache, blockTable, cuSeqLens, tokenToSeq, seqStarts).run(Grid.over(packs), Grid.THREADS);
        }
    }

    private static Launch places(
            Launch launch,
            Tensor cache,
            Tensor blockTable,
            Tensor cuSeqLens,
            Tensor tokenToSeq,
            @Nullable Tensor seqStarts) {
        return launch.tensor(blockTable)
                .tensor(cuSeqLens)
                .tensor(tokenToSeq)
                .optional(seqStarts)
                .i32((int) blockTable.dim(1))
                .i32((int) cache.dim(0))
                .i32((int) cache.dim(1))
                .i32((int) blockTable.dim(0));
    }
}
