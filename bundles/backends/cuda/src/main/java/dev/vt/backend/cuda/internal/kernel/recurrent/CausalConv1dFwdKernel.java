package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Variants;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.CausalConv1dFwd;
import org.jspecify.annotations.Nullable;

/** {@code causal_conv1d_fwd}: a launch for the outputs, runs of tokens side by side, then one for the states. */
final class CausalConv1dFwdKernel implements CausalConv1dFwd {
    /** Tokens that a thread takes one after the other. */
    private static final long RUN = 16;

    private final Variants outputs;
    private final KernelFunction[] states;

    CausalConv1dFwdKernel(KernelModule module) {
        outputs = new Variants(module, "causal_conv1d_fwd");
        states = new KernelFunction[] {
            module.function("causal_conv1d_states_f32"),
            module.function("causal_conv1d_states_f16"),
            module.function("causal_conv1d_states_bf16")
        };
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor weight,
            @Nullable Tensor bias,
            Tensor state,
            Tensor queryStartLoc,
            Tensor hasInitialState,
            boolean silu) {
        Outcome no = ConvOperands.declined(out, x, weight, bias, state);
        no = no != null ? no : Operand.dense(queryStartLoc);
        no = no != null ? no : Operand.dense(hasInitialState);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            ConvOperands.uses(cuda, out, x, weight, bias, state);
            cuda.uses(queryStartLoc, hasInitialState);
        }
        boolean four = ConvOperands.four(out, x, weight, bias, state);
        int wide = hasInitialState.dtype() == DType.I32 ? 1 : 0;
        long sequences = state.dim(0);
        long tokens = x.dim(0);
        try (Launch launch = cuda.launch(outputs.of(x, out))) {
            ConvOperands.begin(launch, out, x, weight, bias, state, silu)
                    .tensor(queryStartLoc)
                    .tensor(hasInitialState)
                    .i32(wide)
                    .i64(sequences)
                    .i64(tokens)
                    .i32(FaultSite.CONV_FWD_STARTS.number())
                    .i32(four ? 1 : 0)
                    .run(
                            Math.max(1, ConvOperands.across(x, four)),
                            Math.clamp(Math.ceilDiv(tokens, RUN), 1, Grid.MAX_Y),
                            ConvOperands.THREADS);
        }
        if (state.elements() > 0) {
            try (Launch launch = cuda.launch(states[x.dtype().ordinal()])) {
                launch.tensor(x)
                        .tensor(state)
                        .i64(x.dim(1))
                        .i32((int) weight.dim(1))
                        .tensor(queryStartLoc)
                        .tensor(hasInitialState)
                        .i32(wide)
                        .i64(sequences)
                        .run(ConvOperands.across(x, false), Math.min(sequences, Grid.MAX_Y), ConvOperands.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
