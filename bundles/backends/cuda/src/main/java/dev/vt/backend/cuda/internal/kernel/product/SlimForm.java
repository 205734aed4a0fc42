package dev.vt.backend.cuda.internal.kernel.product;

/**
 * How many rows of a a block of the slim kernels takes, how deep one of its steps of K is, and how many steps it has in shared
 * memory: as slim.cuh has it.
 */
enum SlimForm {
    ROWS_8(8, 2, 5),
    ROWS_16(16, 2, 5),
    ROWS_32(32, 2, 4),
    ROWS_64(64, 2, 6),
    ROWS_128(128, 1, 8),
    ROWS_256(256, 1, 5);

    private static final SlimForm[] ALL = values();

    /** Bytes of a row of a tile in shared memory. */
    private static final int ROW = 128;

    private static final int COLUMNS = 64;

    private final int rows;
    private final int depth;
    private final int stages;

    SlimForm(int rows, int depth, int stages) {
        this.rows = rows;
        this.depth = depth;
        this.stages = stages;
    }

    /** The smallest for so many rows; 128 where tiles of 256 would leave units of the device idle and those of 128 fit on it. */
    static SlimForm of(long rows, long columns, int units) {
        for (SlimForm form : ALL) {
            if (rows <= form.rows && form != ROWS_256) {
                return form;
            }
        }
        boolean idle = columns * ROWS_256.tiles(rows) < units;
        return idle && columns * ROWS_128.tiles(rows) <= units ? ROWS_128 : ROWS_256;
    }

    int rows() {
        return rows;
    }

    /** Tiles of 64 elements of K in one step. */
    int depth() {
        return depth;
    }

    /** Blocks for so many rows of a. */
    long tiles(long all) {
        return Math.ceilDiv(all, rows);
    }

    /** Bytes of shared memory of a block: the stages, two barriers each, and room to align. */
    int shared() {
        return stages * (depth * (COLUMNS + rows) * ROW + 16) + 1024;
    }

    /** The file of its kernels; the larger forms take longer to compile and have one of their own. */
    String file(String type) {
        return (rows > 64 ? "broad_" : "slim_") + type + "_sm90.cu";
    }
}
