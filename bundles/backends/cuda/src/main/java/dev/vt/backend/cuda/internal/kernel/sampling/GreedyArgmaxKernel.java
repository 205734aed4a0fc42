package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.kernel.support.Variants;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.GreedyArgmax;

/** {@code greedy_argmax}: a block a row, or a cluster of blocks where rows are few and long. */
final class GreedyArgmaxKernel implements GreedyArgmax {
    private static final int BLOCK = 512;

    /** Threads of a block that has a part of a row: two such blocks of 512 would not fit on a multiprocessor. */
    private static final int PART_BLOCK = 256;

    /** Blocks of a row in parts, as in the kernel's source. */
    private static final int PARTS = 8;

    /** From here on one block a row is enough to fill a device. */
    private static final long MANY_ROWS = 256;

    /** Up to here a row is read by one block about as soon as its parts would have met. */
    private static final long SHORT_ROW = 8192;

    private final KernelFunction[] whole;
    private final KernelFunction[] parts;

    GreedyArgmaxKernel(KernelModule module) {
        whole = Variants.inputs(module, "greedy_argmax");
        parts = Variants.inputs(module, "greedy_argmax_parts");
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
        if (rows > Grid.MAX || logits.lastDim() > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(tokenIds, logits);
        }
        if (rows > 0) {
            boolean cut = rows < MANY_ROWS && logits.lastDim() > SHORT_ROW;
            long stride = Operand.stride(logits);
            boolean packed = Packs.aligned(logits) && (rows == 1 || Packs.whole(stride));
            try (Launch launch = cuda.launch((cut ? parts : whole)[Operand.type(logits)])) {
                launch.tensor(tokenIds)
                        .tensor(logits)
                        .i64(logits.lastDim())
                        .i64(stride)
                        .i32(packed ? 1 : 0)
                        .run(cut ? rows * PARTS : rows, cut ? PART_BLOCK : BLOCK);
            }
        }
        return Outcome.SERVED;
    }
}
