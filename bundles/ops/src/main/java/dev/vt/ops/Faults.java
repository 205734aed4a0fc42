package dev.vt.ops;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Builds the errors of the entry points, one sentence each: op, argument, expected, given. Kept apart from {@link Check} so that
 * the good case of a check stays small enough to be inlined; nothing here runs on a call that is right.
 */
final class Faults {
    private Faults() {}

    static VtException of(Op<?> op, String argument, String expected, String given) {
        return VtException.invalidArgument(
                op + ": argument " + argument + ": expected " + expected + ", given " + given);
    }

    static VtException rank(Op<?> op, String argument, @Nullable Tensor given, int rank) {
        return of(op, argument, "a tensor of rank " + rank, "" + given);
    }

    static VtException atLeastRank(Op<?> op, String argument, @Nullable Tensor given, int rank) {
        return of(op, argument, rank == 0 ? "a tensor" : "a tensor of rank " + rank + " or more", "" + given);
    }

    static VtException missing(Op<?> op, String argument, String what) {
        return of(op, argument, what, "null");
    }

    static VtException device(Op<?> op, String argument, Device given, Device queue) {
        return of(op, argument, "a tensor on " + queue + " where the queue is", "one on " + given);
    }

    static VtException dtype(Op<?> op, String argument, Tensor given, String expected) {
        return of(op, argument, "dtype " + expected, "" + given);
    }

    static VtException sameDtype(Op<?> op, String argument, Tensor given, String like, Tensor other) {
        return of(op, argument, "dtype " + other.dtype() + " as in " + like, "" + given);
    }

    static VtException contiguous(Op<?> op, String argument, Tensor given) {
        return of(op, argument, "a contiguous tensor", strided(given));
    }

    static VtException rows(Op<?> op, String argument, Tensor given) {
        return of(op, argument, "a tensor whose rows are contiguous and do not overlap", strided(given));
    }

    static VtException lastDim(Op<?> op, String argument, Tensor given) {
        return of(op, argument, "a tensor whose last dimension is contiguous", strided(given));
    }

    static VtException dim(Op<?> op, String argument, Tensor given, int dim, long expected, String why) {
        return of(op, argument, "dimension " + dim + " to be " + expected + " (" + why + ")", "" + given);
    }

    static VtException notEmpty(Op<?> op, String argument, Tensor given, int dim) {
        return of(op, argument, "dimension " + dim + " to be 1 or more", "" + given);
    }

    static VtException sameShape(Op<?> op, String argument, Tensor given, String like, Tensor other) {
        return of(op, argument, "the shape of " + like + ", which is " + other, "" + given);
    }

    static VtException alias(Op<?> op, String argument, Tensor given, String other) {
        return of(op, argument, "memory apart from that of " + other, given + " that overlaps it");
    }

    private static String strided(Tensor t) {
        StringBuilder s = new StringBuilder(t.toString()).append(" with strides [");
        for (int i = 0; i < t.rank(); i++) {
            s.append(i == 0 ? "" : ",").append(t.stride(i));
        }
        return s.append(']').toString();
    }
}
