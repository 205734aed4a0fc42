package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * The primitive checks that the entry points are made of. Each is a few compares in the good case, allocates nothing and is
 * small enough to be inlined; {@link Faults} makes the sentence otherwise. No state, any thread.
 */
final class Check {
    /** Dtype lists as messages show them. */
    static final String FLOATS = "f32, f16 or bf16";

    static final String OUT_FLOATS = "f32 or bf16";
    static final String IDS = "i32 or i64";
    static final String ENCODED = "a block encoding of weights";

    private Check() {}

    /**
     * The quick question of the hot ops: present, on this very device object, with these traits. A no is no fault yet; the careful
     * checks then decide.
     */
    static boolean plain(@Nullable Tensor t, Device device, int traits) {
        return t != null && t.device() == device && t.has(traits);
    }

    /** The quick form of {@link #apart}: another block of memory. */
    static boolean elsewhere(Tensor written, Tensor other) {
        return written.memory() != other.memory() || !written.overlaps(other);
    }

    /** The queue's device, with which those of all tensors are compared. */
    static Device device(Op<?> op, Queue queue) {
        if (queue == null) {
            throw Faults.missing(op, "queue", "a queue");
        }
        return queue.device();
    }

    /** Present, of one rank, on the queue's device, contiguous. */
    static void dense(Op<?> op, String argument, Tensor t, Device device, int rank) {
        placed(op, argument, t, device, rank);
        contiguous(op, argument, t);
    }

    /** As {@link #dense}, but rows may be padded: only the stride of the first dimension is free. */
    static void padded(Op<?> op, String argument, Tensor t, Device device, int rank) {
        placed(op, argument, t, device, rank);
        rows(op, argument, t);
    }

    /** As {@link #dense}, of rank 3, but the strides of the first two dimensions are free. */
    static void strided(Op<?> op, String argument, Tensor t, Device device) {
        placed(op, argument, t, device, 3);
        if (t.dim(2) > 1 && t.stride(2) != 1) {
            throw Faults.lastDim(op, argument, t);
        }
    }

    /** As {@link #strided}, for a tensor that is written: no element lies where another does. */
    static void stridedOutput(Op<?> op, String argument, Tensor t, Device device) {
        strided(op, argument, t, device);
        if (t.elements() > 0 && !hasRowsApart(t)) {
            throw Faults.rows(op, argument, t);
        }
    }

    /** True when no two rows of the last of three dimensions overlap; not for strides that interleave in other ways. */
    private static boolean hasRowsApart(Tensor t) {
        int outer = t.stride(0) < t.stride(1) ? 1 : 0;
        int inner = 1 - outer;
        long width = t.dim(2);
        long block = (t.dim(inner) - 1) * t.stride(inner) + width;
        return (t.dim(inner) == 1 || t.stride(inner) >= width) && (t.dim(outer) == 1 || t.stride(outer) >= block);
    }

    private static void rows(Op<?> op, String argument, Tensor t) {
        if (!t.contiguous() && !hasPaddedRows(t)) {
            throw Faults.rows(op, argument, t);
        }
    }

    /** Present, of any rank from {@code least} on, on the queue's device, contiguous. */
    static void anyRank(Op<?> op, String argument, Tensor t, Device device, int least) {
        placedFrom(op, argument, t, device, least);
        contiguous(op, argument, t);
    }

    /** As {@link #anyRank}, but rows may be padded. */
    static void anyRankPadded(Op<?> op, String argument, Tensor t, Device device, int least) {
        placedFrom(op, argument, t, device, least);
        rows(op, argument, t);
    }

    private static void placedFrom(Op<?> op, String argument, Tensor t, Device device, int least) {
        if (t == null || t.rank() < least) {
            throw Faults.atLeastRank(op, argument, t, least);
        }
        on(op, argument, t, device);
    }

    private static void placed(Op<?> op, String argument, Tensor t, Device device, int rank) {
        if (t == null || t.rank() != rank) {
            throw Faults.rank(op, argument, t, rank);
        }
        on(op, argument, t, device);
    }

    private static void on(Op<?> op, String argument, Tensor t, Device device) {
        if (t.device() != device && !t.device().equals(device)) {
            throw Faults.device(op, argument, t.device(), device);
        }
    }

    private static void contiguous(Op<?> op, String argument, Tensor t) {
        if (!t.contiguous()) {
            throw Faults.contiguous(op, argument, t);
        }
    }

    /** True when all but the first dimension is contiguous and rows do not run into each other. */
    static boolean hasPaddedRows(Tensor t) {
        long step = 1;
        for (int i = t.rank() - 1; i > 0; i--) {
            if (t.dim(i) != 1 && t.stride(i) != step) {
                return false;
            }
            step *= t.dim(i);
        }
        return t.rank() > 0 && (t.dim(0) <= 1 || t.stride(0) >= step);
    }

    static void floats(Op<?> op, String argument, Tensor t) {
        if (!t.dtype().isFloat()) {
            throw Faults.dtype(op, argument, t, FLOATS);
        }
    }

    static void outFloats(Op<?> op, String argument, Tensor t) {
        if (t.dtype() != DType.F32 && t.dtype() != DType.BF16) {
            throw Faults.dtype(op, argument, t, OUT_FLOATS);
        }
    }

    static void ids(Op<?> op, String argument, Tensor t) {
        if (t.dtype() != DType.I32 && t.dtype() != DType.I64) {
            throw Faults.dtype(op, argument, t, IDS);
        }
    }

    static void dtype(Op<?> op, String argument, Tensor t, DType expected) {
        if (t.dtype() != expected) {
            throw Faults.dtype(op, argument, t, expected.label());
        }
    }

    static void sameDtype(Op<?> op, String argument, Tensor t, String like, Tensor other) {
        if (t.dtype() != other.dtype()) {
            throw Faults.sameDtype(op, argument, t, like, other);
        }
    }

    /** True for the encodings that weights come in; q8_K is for activations inside kernels only. */
    static boolean encoded(DType dtype) {
        return dtype.isBlock() && dtype != DType.Q8_K;
    }

    static void dim(Op<?> op, String argument, Tensor t, int dim, long expected, String why) {
        if (t.dim(dim) != expected) {
            throw Faults.dim(op, argument, t, dim, expected, why);
        }
    }

    /** An op that picks one of a row needs something to pick from. */
    static void rowsNotEmpty(Op<?> op, String argument, Tensor t) {
        if (t.dim(1) == 0 && t.dim(0) != 0) {
            throw Faults.notEmpty(op, argument, t, 1);
        }
    }

    static void sameShape(Op<?> op, String argument, Tensor t, String like, Tensor other) {
        if (!t.sameShape(other)) {
            throw Faults.sameShape(op, argument, t, like, other);
        }
    }

    /** A tensor that is written shares no byte with another argument. */
    static void apart(Op<?> op, String argument, Tensor written, String otherName, Tensor other) {
        if (written.overlaps(other) && Overlap.real(written, other)) {
            throw Faults.alias(op, argument, written, otherName);
        }
    }

    /** As {@link #apart}, but the very same view is fine: the op may work in place. */
    static void apartOrSame(Op<?> op, String argument, Tensor written, String otherName, Tensor other) {
        if (written != other && written.overlaps(other) && !written.sameView(other) && Overlap.real(written, other)) {
            throw Faults.alias(op, argument, written, otherName);
        }
    }

    /** Above 0 and finite; NaN is neither. */
    static void positive(Op<?> op, String argument, double value) {
        if (!(value > 0 && value <= Double.MAX_VALUE)) {
            throw Faults.of(op, argument, "a finite number above 0", "" + value);
        }
    }

    /** As {@link #positive}, for a float. */
    static void positive(Op<?> op, String argument, float value) {
        if (!(value > 0 && value <= Float.MAX_VALUE)) {
            throw Faults.of(op, argument, "a finite number above 0", "" + value);
        }
    }
}
