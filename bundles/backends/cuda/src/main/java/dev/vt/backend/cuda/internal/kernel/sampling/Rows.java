package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.launch.Launch;

/** How kernels go over rows of logits. */
final class Rows {
    /** Threads of a block that has a whole row, which is long. */
    static final int BLOCK = 1024;

    /** Blocks of a team, which share a row; the kernels' sources have the same number. */
    private static final int TEAM = 8;

    private static final int TEAM_THREADS = 512;

    /** The most rows that can have a team each. */
    static final long MOST = Grid.MAX / TEAM;

    /** Elements of a row, so that a place in it fits 32 bits. */
    static final long LONGEST = Integer.MAX_VALUE;

    private Rows() {}

    /** Runs a kernel whose blocks go over rows in y and over so many columns a thread in x. */
    static void run(Launch launch, Tensor logits, int columns) {
        long across = Math.ceilDiv(logits.dim(1), (long) columns * Grid.THREADS);
        launch.run(Math.min(Grid.MAX, across), Math.min(Grid.MAX_Y, logits.dim(0)), Grid.THREADS);
    }

    /** Runs a kernel with a team for each row in x and each piece in y. */
    static void team(Launch launch, long rows, long pieces) {
        launch.run(rows * TEAM, pieces, TEAM_THREADS);
    }

    /** The same with the largest blocks, which need so much shared memory. */
    static void largeTeam(Launch launch, long rows, int shared) {
        launch.run(rows * TEAM, 1, 1, BLOCK, shared);
    }
}
