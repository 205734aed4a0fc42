package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Variants;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.CausalConv1dUpdate;
import org.jspecify.annotations.Nullable;

/** {@code causal_conv1d_update}: one launch, which looks at all slots before it writes. */
final class CausalConv1dUpdateKernel implements CausalConv1dUpdate {
    private final Variants variants;

    CausalConv1dUpdateKernel(KernelModule module) {
        variants = new Variants(module, "causal_conv1d_update");
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor weight,
            @Nullable Tensor bias,
            Tensor state,
            @Nullable Tensor stateIndices,
            boolean silu) {
        Outcome no = ConvOperands.declined(out, x, weight, bias, state);
        no = no != null ? no : Operand.dense(stateIndices);
        if (no != null) {
            return no;
        }
        long rows = x.dim(0);
        if (rows > Grid.MAX_Y) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            ConvOperands.uses(cuda, out, x, weight, bias, state);
            if (stateIndices != null) {
                cuda.uses(stateIndices);
            }
        }
        if (rows > 0) {
            boolean four = ConvOperands.four(out, x, weight, bias, state);
            try (Launch launch = cuda.launch(variants.of(x, out))) {
                ConvOperands.begin(launch, out, x, weight, bias, state, silu)
                        .optional(stateIndices)
                        .i64(rows)
                        .i64(state.dim(0))
                        .i32(FaultSite.CONV_UPDATE_SLOTS.number())
                        .i32(four ? 1 : 0)
                        .run(Math.max(1, ConvOperands.across(x, four)), rows, ConvOperands.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
