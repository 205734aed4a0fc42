package dev.vt.ops.kernel;

/**
 * The interleaved order of {@code moe_grouped_gemm_nvfp4_marlin}'s weights: the order in which the threads of a tensor-core
 * product read them. An expert's weight W is [K,N]; K is a multiple of 16 and N of 64.
 *
 * <ul>
 *   <li>packed[K/16,2N] i32: row r holds rows 16r to 16r+15 of W in tiles of 64 columns, each 128 words. Element [k,n] is the e2m1
 *       code in word {@code n / 64 * 128 + lane * 4 + n / 16 % 4} of row {@code k / 16}, where
 *       {@code lane = n % 8 * 4 + k % 8 / 2}, in the four bits from bit {@code 4 * slot} on, where
 *       {@code slot = k % 2 * 4 + n / 8 % 2 * 2 + k / 8 % 2}.
 *   <li>scale[K/16,N] i8: the e4m3 scale of rows 16r to 16r+15 and column n is in row r, column
 *       {@code n / 64 * 64 + n % 8 * 8 + n / 8 % 8}.
 * </ul>
 *
 * <p>Source: Frantar et al., MARLIN: Mixed-Precision Auto-Regressive Parallel Inference on Large Language Models, 2024. No state, any
 * thread.
 */
public final class MarlinLayout {
    private static final int TILE_COLS = 64;
    private static final int TILE_WORDS = 128;

    private MarlinLayout() {}

    /** The word in its row that holds element [k,n]. */
    public static long word(long k, long n) {
        long lane = n % 8 * 4 + k % 8 / 2;
        return n / TILE_COLS * TILE_WORDS + lane * 4 + n / 16 % 4;
    }

    /** The lowest bit of element [k,n] in its word. */
    public static int bit(long k, long n) {
        return (int) (4 * (k % 2 * 4 + n / 8 % 2 * 2 + k / 8 % 2));
    }

    /** The column in its row that holds the scale of column n. */
    public static long scale(long n) {
        return n / TILE_COLS * TILE_COLS + n % 8 * 8 + n / 8 % 8;
    }
}
