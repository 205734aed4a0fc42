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
 * {@code compute_probs} and {@code compute_logprobs}. A short row is one block's, which reads it once. Long rows are cut into parts, and
 * worked on in groups that the device's cache holds, as they are read twice.
 */
final class SoftmaxKernel implements Unary {
    /** What a block keeps of a row without asking for more shared memory than any device gives. */
    private static final long SHORT = 48 * 1024 / Float.BYTES - 256;

    /** Parts are no shorter, so that a launch's blocks have something to do, nor more than lanes of a warp. */
    private static final long LEAST_PART = 4096;

    private static final long MOST_PARTS = 32;

    /** Two to four blocks for each multiprocessor of a large device. */
    private static final long BLOCKS = 512;

    /** Elements of a group: 32 MiB of input, and as much output. */
    private static final long GROUP = 8L << 20;

    private static final int PART_THREADS = 512;

    private final boolean log;
    private final Widths row;
    private final Widths parts;
    private final Widths rest;

    /** With {@code log}, the logarithms of the probabilities. */
    SoftmaxKernel(KernelModule module, boolean log) {
        this.log = log;
        this.row = new Widths(module, "softmax_row", 4);
        this.parts = new Widths(module, "softmax_parts", 4);
        this.rest = new Widths(module, "softmax_rest", 4);
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(x);
        if (no != null) {
            return no;
        }
        if (x.dim(0) > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, x);
        }
        if (x.elements() > 0) {
            boolean fits = row.fits(out) && row.fits(x);
            if (x.dim(1) <= SHORT) {
                rows(cuda, fits, out, x);
            } else {
                groups(cuda, fits, out, x);
            }
        }
        return Outcome.SERVED;
    }

    private void rows(LaunchQueue cuda, boolean fits, Tensor out, Tensor x) {
        long n = x.dim(1);
        try (Launch launch = cuda.launch(row.of(fits))) {
            launch.tensor(out)
                    .tensor(x)
                    .i64(n)
                    .i32(log ? 1 : 0)
                    .run(x.dim(0), 1, 1, n > LEAST_PART ? Rows.BLOCK : Grid.ROW_THREADS, (int) n * Float.BYTES);
        }
    }

    private void groups(LaunchQueue cuda, boolean fits, Tensor out, Tensor x) {
        long n = x.dim(1);
        long together = Math.clamp(GROUP / n, 1, BLOCKS);
        long count = Math.clamp(Math.ceilDiv(BLOCKS, Math.min(together, x.dim(0))), 1, MOST_PARTS);
        long length = Math.max(LEAST_PART, Math.ceilDiv(Math.ceilDiv(n, count), 4) * 4);
        for (long first = 0; first < x.dim(0); first += together) {
            long rows = Math.min(together, x.dim(0) - first);
            long skipped = first * n * Float.BYTES;
            try (Launch launch = cuda.launch(parts.of(fits))) {
                begin(launch, out, x, skipped, length).run(Math.ceilDiv(n, length), rows, PART_THREADS);
            }
            try (Launch launch = cuda.launch(rest.of(fits))) {
                begin(launch, out, x, skipped, length)
                        .i32(log ? 1 : 0)
                        .run(Math.ceilDiv(n, length), rows, PART_THREADS);
            }
        }
    }

    private static Launch begin(Launch launch, Tensor out, Tensor x, long skipped, long length) {
        return launch.address(address(out) + skipped)
                .address(address(x) + skipped)
                .i64(x.dim(1))
                .i64(length);
    }

    private static long address(Tensor t) {
        return t.segment().address() + t.offset();
    }
}
