package dev.vt.ops.kernel;

/**
 * Where the scales of blocks of 16 elements lie, and so the place for the encodings that the fp4 and fp8 ops share. Tensors of
 * dtype i8 hold their raw bytes.
 *
 * <ul>
 *   <li>e4m3: sign, 4 bits of exponent (bias 7), 3 bits of mantissa; no infinities; 0x7f and 0xff are NaN; the largest number is
 *       448. A conversion rounds to nearest even and saturates, infinities too; a NaN stays one.
 *   <li>e2m1, fp4: sign and 3 bits that stand for 0, 0.5, 1, 1.5, 2, 3, 4, 6. A conversion rounds to nearest, ties to the even
 *       code, and saturates; the format has no NaN, so a NaN becomes 6. Two elements share a byte: the one of even index is in the
 *       low four bits.
 *   <li>nvfp4: blocks of 16 elements along a row; element = fp4 * scale of its block (e4m3) * one f32 scale of the tensor.
 * </ul>
 *
 * <p>Quantising with a global scale g: a block whose largest magnitude is a gets the scale s = e4m3(a / 6 * g) and the codes
 * fp4(x * min(g / s, largest float)); where s is 0 all codes are 0. Each operation rounds to f32. So x is about fp4 * s / g, and the
 * f32 scale of the tensor is 1 / g. A NaN in a block makes s NaN.
 *
 * <p>Sources: OCP 8-bit Floating Point Specification 1.0; OCP Microscaling Formats Specification 1.0 for e2m1; the block-scale layouts
 * of cuBLAS's documentation. Immutable, any thread.
 */
public enum ScaleLayout {
    /** [rows, groups], row-major. */
    LINEAR,

    /**
     * [rows up to a multiple of 128, groups up to a multiple of 4], padding 0, in tiles of 128 rows and 4 groups: the scale of row r
     * and group g is byte {@code ((r / 128) * (G / 4) + g / 4) * 512 + r % 32 * 16 + r / 32 % 4 * 4 + g % 4}, G the padded number of
     * groups.
     */
    SWIZZLED;

    private static final int TILE_ROWS = 128;
    private static final int TILE_GROUPS = 4;
    private static final int TILE_BYTES = TILE_ROWS * TILE_GROUPS;

    /** Size of dimension 0 of the scales of so many rows. */
    public long rows(long rows) {
        return this == LINEAR ? rows : Math.ceilDiv(rows, TILE_ROWS) * TILE_ROWS;
    }

    /** Size of dimension 1 of the scales of so many groups a row. */
    public long groups(long groups) {
        return this == LINEAR ? groups : Math.ceilDiv(groups, TILE_GROUPS) * TILE_GROUPS;
    }

    /** The byte at which the scale of a row's group lies, where a row has so many groups. */
    public long at(long row, long group, long groups) {
        if (this == LINEAR) {
            return row * groups + group;
        }
        long tile = row / TILE_ROWS * (groups(groups) / TILE_GROUPS) + group / TILE_GROUPS;
        return tile * TILE_BYTES + row % 32 * 16 + row / 32 % 4 * 4 + group % TILE_GROUPS;
    }
}
