package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.launch.Launch;

/** How kernels go over rows of logits. */
final class Rows {
    /** Threads of a block that has a whole row, which is long. */
    static final int BLOCK = 1024;

    /** Elements of a row; so the number of one fits 32 bits, and sums of shares do. */
    static final long LONGEST = 1L << 23;

    private Rows() {}

    /** Runs a kernel whose blocks go over rows in y and over so many columns a thread in x. */
    static void run(Launch launch, Tensor logits, int columns) {
        long across = Math.ceilDiv(logits.dim(1), (long) columns * Grid.THREADS);
        launch.run(Math.min(Grid.MAX, across), Math.min(Grid.MAX_Y, logits.dim(0)), Grid.THREADS);
    }

    /** Runs a kernel whose blocks have a row in x and some of so many pieces of it in y. */
    static void run(Launch launch, long rows, long pieces) {
        launch.run(rows, Math.min(Grid.MAX_Y, pieces), BLOCK);
    }
}
