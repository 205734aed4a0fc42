package dev.vt.backend.cuda.internal.kernel.program;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.kernel.support.RowLanes;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.Chain;
import dev.vt.ops.kernel.FusedChain;
import dev.vt.ops.kernel.FusedStep;
import org.jspecify.annotations.Nullable;

/**
 * {@code fused_chain}: each row by the lanes that single ops would give it, so that sums have the same bits. Temporary rows are
 * in shared memory.
 */
final class FusedChainKernel implements FusedChain {
    /** Steps that a launch has arguments for. */
    private static final int STEPS = 8;

    /** Shared memory that every device gives a block on demand. */
    private static final int SHARED = 64 << 10;

    private static final Outcome LONG_ROWS = Outcome.declined("the temporary rows don't fit into shared memory");

    private final KernelFunction function;

    FusedChainKernel(KernelModule module) {
        function = module.function("fused_chain", SHARED);
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            Tensor x,
            @Nullable Tensor weight,
            @Nullable Tensor residual,
            Chain chain,
            float eps) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(x);
        no = no != null ? no : Operand.dense(weight);
        no = no != null ? no : Operand.dense(residual);
        if (no != null) {
            return no;
        }
        long rows = Operand.rowsOf(x);
        if (rows > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        long shared = (long) temporaries(chain) * RowLanes.rowsOfBlock(x.lastDim()) * RowLanes.padded(x.lastDim()) * 4;
        if (shared > SHARED) {
            return LONG_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, x);
            uses(cuda, weight);
            uses(cuda, residual);
        }
        if (rows > 0) {
            launch(cuda, rows, out, x, weight, residual, chain, eps, (int) shared);
        }
        return Outcome.SERVED;
    }

    private void launch(
            LaunchQueue cuda,
            long rows,
            Tensor out,
            Tensor x,
            @Nullable Tensor weight,
            @Nullable Tensor residual,
            Chain chain,
            float eps,
            int shared) {
        long n = x.lastDim();
        boolean packed = Packs.aligned(out) && Packs.aligned(x) && Packs.aligned(weight) && Packs.aligned(residual);
        try (Launch launch = cuda.launch(function)) {
            launch.tensor(out).i32(Operand.type(out)).tensor(x).i32(Operand.type(x));
            launch.optional(weight).i32(Operand.type(weight));
            launch.optional(residual).i32(Operand.type(residual));
            steps(launch, chain);
            RowLanes.describe(launch, rows, n, 1.0 / n, eps, packed && Packs.whole(n));
            RowLanes.run(launch, rows, n, shared);
        }
    }

    private static void steps(Launch launch, Chain chain) {
        int count = chain.steps().size();
        launch.i32(count);
        for (int i = 0; i < STEPS; i++) {
            launch.i32(i < count ? encoded(chain.steps().get(i)) : 0);
        }
        int narrow = 0;
        for (int i = 0; i < chain.temporaries().size(); i++) {
            narrow |= chain.temporaries().get(i) == DType.BF16 ? 1 << i : 0;
        }
        launch.i32(narrow);
    }

    private static int encoded(FusedStep step) {
        return code(step)
                | (step.form() == FusedStep.Form.GEMMA ? 1 : 0) << 4
                | step.outputs().getFirst() << 8
                | step.inputs().getFirst() << 12
                | step.inputs().getLast() << 16;
    }

    /** The number that the kernel knows a code by. */
    private static int code(FusedStep step) {
        return switch (step.code()) {
            case ADD -> 0;
            case MUL -> 1;
            case SILU -> 2;
            case SIGMOID -> 3;
            case RMS_NORM -> 4;
            case SILU_MUL -> 5;
            case SIGMOID_GATE -> 6;
            default -> throw new IllegalStateException("a chain has no " + step.code());
        };
    }

    /** One more than the last temporary row that is used. */
    private static int temporaries(Chain chain) {
        for (int slot = Chain.SLOTS - 1; slot >= Chain.TEMPORARY; slot--) {
            if (chain.uses(slot)) {
                return slot - Chain.TEMPORARY + 1;
            }
        }
        return 0;
    }

    private static void uses(LaunchQueue cuda, @Nullable Tensor t) {
        if (t != null) {
            cuda.uses(t);
        }
    }
}
