package dev.vt.backend.cuda.internal.kernel.sampling;

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
import dev.vt.ops.kernel.GreedyArgmax;

/** {@code greedy_argmax}: a block a row. */
final class GreedyArgmaxKernel implements GreedyArgmax {
    /** A vocabulary is long and there are few rows, so a block is as large as it can be. */
    private static final int BLOCK = 1024;

    private final KernelFunction function;

    GreedyArgmaxKernel(KernelModule module) {
        function = module.function("greedy_argmax");
    }

    @Override
    public Outcome run(Queue queue, Tensor tokenIds, Tensor logits) {
        Outcome no = Operand.dense(tokenIds);
        no = no != null ? no : Operand.rows(logits);
        if (no != null) {
            return no;
        }
        if (logits.lastDim() == 0) {
            return Declines.NO_COLUMNS;
        }
        long rows = tokenIds.elements();
        if (rows > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(tokenIds, logits);
        }
        if (rows > 0) {
            try (Launch launch = cuda.launch(function)) {
                launch.tensor(tokenIds)
                        .tensor(logits)
                        .i32(Operand.type(logits))
                        .i64(logits.lastDim())
                        .i64(Operand.stride(logits))
                        .run(rows, BLOCK);
            }
        }
        return Outcome.SERVED;
    }
}
