package dev.vt.backend.cuda.internal.kernel.product;

import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;

/** A matrix, or a row of matrices, as the kernels of products see it. */
final class Shape {
    /** Bytes that one access or copy of the device takes at once. */
    private static final int CHUNK = 16;

    private Shape() {}

    /** Number of matrices. */
    static long groups(Tensor t) {
        return t.rank() == 3 ? t.dim(0) : 1;
    }

    /** Rows of each. */
    static long rows(Tensor t) {
        return t.dim(t.rank() - 2);
    }

    /** Elements from one matrix to the next; 0 where there is one. */
    static long groupStride(Tensor t) {
        return t.rank() < 3 || t.dim(0) == 1 ? 0 : t.contiguous() ? t.dim(1) * t.dim(2) : t.stride(0);
    }

    /** Whether every row starts at a multiple of 16 bytes. */
    static boolean chunks(Tensor t) {
        int bytes = t.dtype().blockBytes();
        return ((address(t) | Operand.stride(t) * bytes | groupStride(t) * bytes) & CHUNK - 1) == 0;
    }

    /** Bytes from row to row, as the copy engine wants them; of a single row anything will do. */
    static long rowBytes(Tensor t) {
        int bytes = t.dtype().blockBytes();
        return rows(t) > 1 ? Operand.stride(t) * bytes : (t.lastDim() * bytes + CHUNK - 1) / CHUNK * CHUNK;
    }

    /** Whether the copy engine can read it. */
    static boolean copies(Tensor t) {
        long step = groupStride(t) * t.dtype().blockBytes();
        return rowBytes(t) > 0 && ((address(t) | rowBytes(t) | step) & CHUNK - 1) == 0;
    }

    static long address(Tensor t) {
        return t.segment().address() + t.offset();
    }
}
