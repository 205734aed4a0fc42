package dev.vt.backend.cuda.internal.kernel.quant;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
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
import org.jspecify.annotations.Nullable;

/**
 * {@code moe_grouped_gemm_bf16} and {@code moe_grouped_gemm_nvfp4}: one block looks at all ids, rows and addresses, then a block makes some
 * columns of a row, or where there are many of all rows of an expert. All operands are contiguous, as their checks have it. Stateless.
 */
final class ExpertProducts {
    /** Up to here each row has blocks of its own: most experts have one row or none. */
    private static final long FEW_ROWS = 128;

    private static final int THREADS = 256;
    private static final int CHECK_THREADS = 1024;

    /** Columns that a block makes with weights whose rows, or whose columns, lie side by side. */
    private static final int NVFP4_COLUMNS = 8;

    private static final int BF16_COLUMNS = 32;

    private final KernelFunction check;
    private final KernelFunction nvfp4;
    private final KernelFunction bf16;

    ExpertProducts() {
        KernelModule source = Sources.of("experts.cu");
        check = source.function("check_experts");
        nvfp4 = source.function("experts_nvfp4");
        bf16 = source.function("experts_bf16");
    }

    Outcome bf16(Queue queue, Tensor out, Tensor act, Tensor expertIds, @Nullable Tensor rowMap, Tensor weights) {
        @Nullable Outcome no = decline(out, act, expertIds, rowMap, weights);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, act, expertIds, weights);
            uses(cuda, rowMap);
        }
        if (out.dim(0) > 0) {
            check(cuda, act, expertIds, rowMap, weights, null, FaultSite.EXPERTS_BF16_IDS);
        }
        if (out.elements() > 0) {
            try (Launch launch = cuda.launch(bf16)) {
                operands(launch, out, act, expertIds, rowMap)
                        .tensor(weights)
                        .run(Math.ceilDiv(out.dim(1), BF16_COLUMNS), down(out, weights), THREADS);
            }
        }
        return Outcome.SERVED;
    }

    Outcome nvfp4(
            Queue queue,
            Tensor out,
            Tensor act,
            Tensor expertIds,
            @Nullable Tensor rowMap,
            Tensor packed,
            Tensor scales,
            Tensor scale2) {
        @Nullable Outcome no = decline(out, act, expertIds, rowMap, packed);
        no = no != null ? no : Operand.dense(scales);
        no = no != null ? no : Operand.dense(scale2);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, act, expertIds, packed, scales, scale2);
            uses(cuda, rowMap);
        }
        if (out.dim(0) > 0) {
            check(cuda, act, expertIds, rowMap, packed, scales, FaultSite.EXPERTS_NVFP4_IDS);
        }
        if (out.elements() > 0) {
            try (Launch launch = cuda.launch(nvfp4)) {
                operands(launch, out, act, expertIds, rowMap)
                        .tensor(packed)
                        .tensor(scales)
                        .tensor(scale2)
                        .run(Math.ceilDiv(out.dim(1), NVFP4_COLUMNS), down(out, packed), THREADS);
            }
        }
        return Outcome.SERVED;
    }

    private static @Nullable Outcome decline(
            Tensor out, Tensor act, Tensor expertIds, @Nullable Tensor rowMap, Tensor addresses) {
        @Nullable Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(act);
        no = no != null ? no : Operand.dense(expertIds);
        no = no != null ? no : Operand.dense(rowMap);
        no = no != null ? no : Operand.dense(addresses);
        boolean few = addresses.elements() <= Grid.MAX_Y && out.dim(1) <= Grid.MAX;
        return no != null || few ? no : Declines.MANY_ROWS;
    }

    private static void uses(LaunchQueue cuda, @Nullable Tensor rowMap) {
        if (rowMap != null) {
            cuda.uses(rowMap);
        }
    }

    private void check(
            LaunchQueue cuda,
            Tensor act,
            Tensor expertIds,
            @Nullable Tensor rowMap,
            Tensor weights,
            @Nullable Tensor scales,
            FaultSite ids) {
        try (Launch launch = cuda.launch(check)) {
            launch.tensor(expertIds)
                    .optional(rowMap)
                    .i64(expertIds.elements())
                    .i64(weights.elements())
                    .i64(act.dim(0))
                    .tensor(weights)
                    .optional(scales)
                    .i32(scales == null ? DType.BF16.elementBytes() : 1)
                    .i32(ids.number())
                    .run(1, CHECK_THREADS);
        }
    }

    private static Launch operands(Launch launch, Tensor out, Tensor act, Tensor expertIds, @Nullable Tensor rowMap) {
        return launch.tensor(out)
                .i32(Operand.type(out))
                .tensor(act)
                .i32(Operand.type(act))
                .tensor(expertIds)
                .optional(rowMap)
                .i64(out.dim(0))
                .i64(out.dim(1))
                .i64(act.dim(1))
                .i32(out.dim(0) <= FEW_ROWS ? 1 : 0);
    }

    /** Blocks in the second dimension: rows or experts. */
    private static long down(Tensor out, Tensor addresses) {
        return out.dim(0) <= FEW_ROWS ? out.dim(0) : addresses.elements();
    }
}
