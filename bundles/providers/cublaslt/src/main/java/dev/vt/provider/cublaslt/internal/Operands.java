package dev.vt.provider.cublaslt.internal;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** What cuBLASLt asks of operands, and their sizes in its terms. Matrices are the last two dimensions; one before them counts pairs. */
final class Operands {
    /** What rows of fp8 begin at; cuBLASLt has kernels for nothing else. */
    private static final long FP8_ALIGNMENT = 16;

    private Operands() {}

    /** Null for types and strides that can be told to cuBLASLt, else why not. */
    static @Nullable Outcome refuse(Tensor out, Tensor a, Tensor b) {
        Outcome no = refuse(a);
        no = no != null ? no : refuse(b);
        no = no != null ? no : refuse(out);
        if (no != null) {
            return no;
        }
        if (a.dtype() != b.dtype()) {
            return Declines.MIXED_TYPES;
        }
        if (!stores(a.dtype(), out.dtype())) {
            return Declines.OUT_TYPE;
        }
        return pairs(out) > Integer.MAX_VALUE ? Declines.MANY_PAIRS : null;
    }

    private static @Nullable Outcome refuse(Tensor t) {
        if (t.dtype().isBlock()) {
            return Declines.BLOCK_TYPE;
        }
        if (address(t) % t.dtype().blockBytes() != 0) {
            return Declines.MISALIGNED;
        }
        if (t.contiguous()) {
            return null;
        }
        int last = t.rank() - 1;
        if (t.dim(last) > 1 && t.stride(last) != 1) {
            return Declines.STRIDED;
        }
        return rows(t) > 1 && t.stride(last - 1) < t.dim(last) ? Declines.OVERLAPPING : null;
    }

    /** f32 goes to f32 only, and f16 not to bf16. */
    private static boolean stores(DType from, DType to) {
        return to == DType.F32 || to == DType.BF16 && (from == DType.BF16 || from == DType.I8);
    }

    /** Null when the addresses of an fp8 product suit. */
    static @Nullable Outcome refuseFp8(Tensor out, Tensor a, Tensor b) {
        return (address(out) | address(a) | address(b)) % FP8_ALIGNMENT == 0 ? null : Declines.MISALIGNED_FP8;
    }

    static long address(Tensor t) {
        return t.segment().address() + t.offset();
    }

    /** The largest power of two up to 256 that the address is a multiple of: cuBLASLt chooses by it. */
    static int alignment(Tensor t) {
        return (int) Math.min(256, Long.lowestOneBit(address(t) | 256));
    }

    static long rows(Tensor t) {
        return t.dim(t.rank() - 2);
    }

    static long columns(Tensor t) {
        return t.dim(t.rank() - 1);
    }

    /** Elements from one row to the next. */
    static long leading(Tensor t) {
        return rows(t) > 1 && !t.contiguous() ? t.stride(t.rank() - 2) : Math.max(1, columns(t));
    }

    static long pairs(Tensor t) {
        return t.rank() > 2 ? t.dim(0) : 1;
    }

    /** Elements from one matrix to the next. */
    static long apart(Tensor t) {
        return pairs(t) > 1 ? t.stride(0) : 0;
    }
}
