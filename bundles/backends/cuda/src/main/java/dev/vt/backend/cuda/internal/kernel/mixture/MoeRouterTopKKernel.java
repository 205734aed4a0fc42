package dev.vt.backend.cuda.internal.kernel.mixture;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.MoeRouterTopK;
import dev.vt.ops.kernel.RouterParams;
import org.jspecify.annotations.Nullable;

/** {@code moe_router_top_k}: a warp a token, which keeps a rank of each expert and of each group in shared memory. */
final class MoeRouterTopKKernel implements MoeRouterTopK {
    /** Tokens of a block, where their ranks have room. */
    private static final long TOKENS = 4;

    private static final int WARP = 32;

    /** Shared memory that every device gives a block. */
    private static final long SHARED = 48 << 10;

    private static final Outcome MANY_EXPERTS = Outcome.declined("there are more experts than a block has room for");

    private final KernelFunction function;

    MoeRouterTopKKernel(KernelModule module) {
        function = module.function("moe_router_top_k");
    }

    @Override
    public Outcome run(
            Queue queue, Tensor weights, Tensor indices, Tensor logits, @Nullable Tensor bias, RouterParams params) {
        Outcome no = Operand.dense(weights);
        no = no != null ? no : Operand.dense(indices);
        no = no != null ? no : Operand.dense(logits);
        no = no != null ? no : Operand.dense(bias);
        if (no != null) {
            return no;
        }
        long each = (logits.dim(1) + params.groups()) * Integer.BYTES;
        if (each > SHARED) {
            return MANY_EXPERTS;
        }
        if (logits.dim(0) > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(weights, indices, logits);
            if (bias != null) {
                cuda.uses(bias);
            }
        }
        if (weights.elements() > 0) {
            launch(cuda, weights, indices, logits, bias, params, each);
        }
        return Outcome.SERVED;
    }

    private void launch(
            LaunchQueue cuda,
            Tensor weights,
            Tensor indices,
            Tensor logits,
            @Nullable Tensor bias,
            RouterParams params,
            long each) {
        long tokens = logits.dim(0);
        int together = (int) Math.min(TOKENS, SHARED / each);
        try (Launch launch = cuda.launch(function)) {
            launch.tensor(weights)
                    .tensor(indices)
                    .tensor(logits)
                    .i32(Operand.type(logits))
                    .optional(bias)
                    .i64(tokens)
                    .i32((int) logits.dim(1))
                    .i32((int) weights.dim(1))
                    .i32(params.sigmoid() ? 1 : 0)
                    .i32(params.renormalise() ? 1 : 0)
                    .i32(params.groups())
                    .i32(params.topGroups())
                    .f32(params.scale())
                    .run(Math.ceilDiv(tokens, together), 1, 1, WARP * together, (int) each * together);
        }
    }
}
