package dev.vt.backend.cuda.internal.kernel.support;

import dev.vt.backend.cuda.internal.launch.Launch;

/**
 * How kernels that sum over rows cut them; {@code rows.cuh} has the other half. The number of lanes is a function of the
 * row's length alone, so that all of them add in the same order.
 */
public final class RowLanes {
    /** Elements that one lane takes at once. */
    private static final int UNIT = 8;

    /** Units that one lane keeps in registers. */
    private static final int KEPT = 4;

    private static final int WARP = 32;

    /** More threads would have too few registers each. */
    private static final int MOST = 512;

    /** Threads of a block whose rows have a part of a warp each. */
    private static final int SHARED_BLOCK = 128;

    private RowLanes() {}

    /** Threads that work on a row of so many elements. */
    public static int of(long n) {
        long units = Math.ceilDiv(n, UNIT);
        if (units <= WARP / 2) {
            return units <= WARP / 4 ? WARP / 4 : WARP / 2;
        }
        return (int) Math.min(MOST, Math.ceilDiv(Math.ceilDiv(units, 2), WARP) * WARP);
    }

    /** Whether a row of whole units stays in registers. */
    public static boolean kept(long n) {
        return n % UNIT == 0 && n <= (long) of(n) * UNIT * KEPT;
    }

    /** The arguments that describe rows, from their number on: {@code share} is what the sum of a row is multiplied with. */
    public static void describe(Launch launch, long rows, long n, double share, float eps, boolean packed) {
        launch.i64(rows).i64(n).f64(share).f32(eps).i32(of(n)).i32(packed && kept(n) ? 1 : 0);
    }

    /** Rows that a block works on. */
    public static int rowsOfBlock(long n) {
        int lanes = of(n);
        return lanes > WARP ? 1 : SHARED_BLOCK / lanes;
    }

    /** A row's length in whole units. */
    public static long padded(long n) {
        return Math.ceilDiv(n, UNIT) * UNIT;
    }

    /** Starts the kernel. */
    public static void run(Launch launch, long rows, long n) {
        run(launch, rows, n, 0);
    }

    /** The same with so many bytes of shared memory for each block. */
    public static void run(Launch launch, long rows, long n, int shared) {
        int lanes = of(n);
        launch.run(Math.ceilDiv(rows, rowsOfBlock(n)), 1, 1, lanes > WARP ? lanes : SHARED_BLOCK, shared);
    }
}
