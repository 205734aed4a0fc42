package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Widths;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.Unary;

/**
 * {@code compute_probs} and {@code compute_logprobs}. A short row is one block's, a long one a team's; both read it once. Immutable.
 */
final class SoftmaxKernel implements Unary {
    /** What a block keeps of a row without asking for more shared memory than any device gives. */
    private static final long SHORT = 48 * 1024 / Float.BYTES - 256;

    /** Rows that are long enough for all threads of a large block. */
    private static final long LONG = 4096;

    private final boolean log;
    private final Widths row;
    private final Widths team;

    /** With {@code log}, the logarithms of the probabilities. */
    SoftmaxKernel(KernelModule module, boolean log) {
        this.log = log;
        this.row = new Widths(module, "softmax_row", 4);
        this.team = new Widths(module, "softmax_team", 4);
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(x);
        if (no != null) {
            return no;
        }
        if (x.dim(0) > Rows.MOST) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, x);
        }
        if (x.elements() > 0) {
            boolean fits = row.fits(out) && row.fits(x);
            boolean alone = x.dim(1) <= SHORT;
            try (Launch launch = cuda.launch((alone ? row : team).of(fits))) {
                launch.tensor(out).tensor(x).i64(x.dim(1)).i32(log ? 1 : 0);
                start(launch, x.dim(0), x.dim(1), alone);
            }
        }
        return Outcome.SERVED;
    }

    private static void start(Launch launch, long rows, long n, boolean alone) {
        if (alone) {
            launch.run(rows, 1, 1, n > LONG ? Rows.BLOCK : Grid.ROW_THREADS, (int) n * Float.BYTES);
        } else {
            Rows.team(launch, rows, 1);
        }
    }
}
