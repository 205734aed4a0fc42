package dev.vt.ops;

import dev.vt.api.tensor.Tensor;

/**
 * Says whether two views have a byte in common. The cheap question is {@link Tensor#overlaps}, which compares the ranges from
 * first to last byte; this class answers when it says yes: rows of one pitch that lie side by side, such as the query and the key
 * columns of one fused buffer, are apart although their ranges cross. When in doubt the answer is yes.
 */
final class Overlap {
    private Overlap() {}

    static boolean real(Tensor a, Tensor b) {
        return !sideBySide(a, b);
    }

    private static boolean sideBySide(Tensor a, Tensor b) {
        if (a.rank() < 2 || b.rank() < 2) {
            return false;
        }
        long pitch = pitch(a);
        if (pitch <= 0 || pitch != pitch(b)) {
            return false;
        }
        long width = rowBytes(a);
        long shift = Math.floorMod(b.offset() - a.offset(), pitch);
        return width <= shift && shift + rowBytes(b) <= pitch;
    }

    private static long pitch(Tensor t) {
        return t.dtype().rowBytes(t.stride(0));
    }

    /** Bytes of one row of the first dimension; a row that is not contiguous counts as more than any pitch. */
    private static long rowBytes(Tensor t) {
        return Check.hasPaddedRows(t) ? t.dtype().rowBytes(t.elements() / t.dim(0)) : Long.MAX_VALUE / 2;
    }
}
