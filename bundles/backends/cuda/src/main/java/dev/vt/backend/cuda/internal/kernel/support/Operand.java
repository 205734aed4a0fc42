package dev.vt.backend.cuda.internal.kernel.support;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** What a kernel may expect of its operands: rows of contiguous elements with one stride, each element aligned to its size. */
public final class Operand {
    private Operand() {}

    /** Null when the tensor can be read and written element by element as dense, else why not. */
    public static @Nullable Outcome dense(@Nullable Tensor t) {
        if (t == null) {
            return null;
        }
        return t.contiguous() ? aligned(t) : Declines.NOT_CONTIGUOUS;
    }

    /** The same where rows may be padded. */
    public static @Nullable Outcome rows(Tensor t) {
        if (t.contiguous()) {
            return aligned(t);
        }
        if (t.lastDim() > 1 && t.stride(t.rank() - 1) != 1) {
            return Declines.NOT_CONTIGUOUS;
        }
        for (int i = t.rank() - 3; i >= 0; i--) {
            if (t.dim(i) > 1 && t.stride(i) != t.stride(i + 1) * t.dim(i + 1)) {
                return Declines.UNEVEN_ROWS;
            }
        }
        return aligned(t);
    }

    /** The same where all strides but the last dimension's are free. */
    public static @Nullable Outcome strided(Tensor t) {
        return t.contiguous() || t.lastDim() <= 1 || t.stride(t.rank() - 1) == 1 ? aligned(t) : Declines.NOT_CONTIGUOUS;
    }

    /** The same where only the first dimension may be padded. */
    public static @Nullable Outcome slots(Tensor t) {
        if (t.contiguous() || t.elements() == 0) {
            return aligned(t);
        }
        long dense = 1;
        for (int i = t.rank() - 1; i > 0; i--) {
            if (t.dim(i) != 1 && t.stride(i) != dense) {
                return Declines.NOT_CONTIGUOUS;
            }
            dense *= t.dim(i);
        }
        return aligned(t);
    }

    /** Null when each element is one of a plain type and aligned to its size, whatever the strides. */
    public static @Nullable Outcome aligned(Tensor t) {
        if (t.dtype().isBlock()) {
            return Declines.BLOCK_TYPE;
        }
        long address = t.segment().address() + t.offset();
        return address % t.dtype().blockBytes() == 0 ? null : Declines.MISALIGNED;
    }

    /** True when the first element and all those a step of {@code stride} elements further lie at multiples of 16 bytes. */
    public static boolean at16(Tensor t, long stride) {
        long address = t.segment().address() + t.offset();
        return ((address | stride * t.dtype().blockBytes()) & 15) == 0;
    }

    /** Number of rows of the last dimension. */
    public static long rowsOf(Tensor t) {
        return t.lastDim() == 0 ? 0 : t.elements() / t.lastDim();
    }

    /** Elements from one row to the next; the row's own length for a contiguous tensor. */
    public static long stride(Tensor t) {
        return t.contiguous() || t.rank() < 2 ? t.lastDim() : t.stride(t.rank() - 2);
    }

    /** Elements from one index of the first dimension to the next; what follows must be dense. */
    public static long outerStride(Tensor t) {
        long dense = t.dim(0) == 0 ? 0 : t.elements() / t.dim(0);
        return t.contiguous() || t.dim(0) < 2 ? dense : t.stride(0);
    }

    /** The number that kernels know a float type by. */
    public static int type(@Nullable Tensor t) {
        return t == null ? 0 : t.dtype().ordinal();
    }
}
