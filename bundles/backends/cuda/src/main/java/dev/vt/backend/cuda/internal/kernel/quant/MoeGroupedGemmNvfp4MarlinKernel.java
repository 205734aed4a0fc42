package dev.vt.backend.cuda.internal.kernel.quant;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.MoeGroupedGemmNvfp4Marlin;
import org.jspecify.annotations.Nullable;

/**
 * {@code moe_grouped_gemm_nvfp4_marlin}: one block looks at the count, the experts and the rows, then a block makes 32 columns of a block
 * of rows. The locks are not needed here and stay as they are. Stateless.
 */
final class MoeGroupedGemmNvfp4MarlinKernel implements MoeGroupedGemmNvfp4Marlin {
    private static final int COLUMNS = 32;
    private static final int THREADS = 256;
    private static final int CHECK_THREADS = 1024;

    private final KernelFunction check;
    private final KernelFunction product;

    MoeGroupedGemmNvfp4MarlinKernel() {
        KernelModule source = Sources.of("marlin.cu");
        check = source.function("check_marlin");
        product = source.function("marlin");
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            Tensor act,
            Tensor packed,
            Tensor scale,
            Tensor scale2,
            Tensor sortedTokenIds,
            Tensor expertIds,
            Tensor numTokensPostPadded,
            @Nullable Tensor topkWeights,
            Tensor workspace,
            int blockSize,
            int topK) {
        @Nullable Outcome no = decline(out, act, packed, scale, scale2, topkWeights);
        no = no != null ? no : Operand.dense(sortedTokenIds);
        no = no != null ? no : Operand.dense(expertIds);
        no = no != null ? no : Operand.dense(numTokensPostPadded);
        if (no != null) {
            return no;
        }
        if (expertIds.elements() > Grid.MAX_Y || out.dim(1) > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, act, packed, scale, scale2, sortedTokenIds, expertIds, numTokensPostPadded, workspace);
            if (topkWeights != null) {
                cuda.uses(topkWeights);
            }
        }
        check(cuda, packed.dim(0), sortedTokenIds, expertIds, numTokensPostPadded, blockSize);
        if (out.elements() > 0 && expertIds.elements() > 0) {
            try (Launch launch = cuda.launch(product)) {
                launch.tensor(out)
                        .tensor(act)
                        .tensor(packed)
                        .tensor(scale)
                        .tensor(scale2)
                        .tensor(sortedTokenIds)
                        .tensor(expertIds)
                        .tensor(numTokensPostPadded)
                        .optional(topkWeights)
                        .i32(blockSize)
                        .i32(topK)
                        .i64(out.dim(0))
                        .i64(out.dim(1))
                        .i64(act.dim(1))
                        .run(Math.ceilDiv(out.dim(1), COLUMNS), expertIds.elements(), THREADS);
            }
        }
        return Outcome.SERVED;
    }

    private static @Nullable Outcome decline(
            Tensor out, Tensor act, Tensor packed, Tensor scale, Tensor scale2, @Nullable Tensor topkWeights) {
        @Nullable Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(act);
        no = no != null ? no : Operand.dense(packed);
        no = no != null ? no : Operand.dense(scale);
        no = no != null ? no : Operand.dense(scale2);
        return no != null ? no : Operand.dense(topkWeights);
    }

    private void check(
            LaunchQueue cuda, long experts, Tensor sortedTokenIds, Tensor expertIds, Tensor padded, int blockSize) {
        try (Launch launch = cuda.launch(check)) {
            launch.tensor(sortedTokenIds)
                    .i64(sortedTokenIds.elements())
                    .tensor(expertIds)
                    .tensor(padded)
                    .i32(blockSize)
                    .i64(experts)
                    .i32(FaultSite.MARLIN_COUNT.number())
                    .run(1, CHECK_THREADS);
        }
    }
}
