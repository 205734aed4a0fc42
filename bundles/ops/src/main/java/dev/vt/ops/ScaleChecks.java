package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.ScaleLayout;

/** What the contracts of the fp4 and fp8 ops have in common. */
final class ScaleChecks {
    /** Elements that share a scale. */
    static final int GROUP = 16;

    private ScaleChecks() {}

    /** A contiguous matrix of raw bytes. */
    static void bytes(Op<?> op, String argument, Tensor t, Device device) {
        Check.dense(op, argument, t, device, 2);
        Check.dtype(op, argument, t, DType.I8);
    }

    /** Size of a dimension is whole groups, or whole tiles. */
    static void multiple(Op<?> op, String argument, Tensor t, int dim, int of) {
        if (t.dim(dim) % of != 0) {
            throw Faults.of(op, argument, "dimension " + dim + " to be a multiple of " + of, "" + t);
        }
    }

    /** Codes, two a byte, of {@code elements} columns. */
    static void codes(Op<?> op, String argument, Tensor t, Device device, long elements, String of) {
        bytes(op, argument, t, device);
        Check.dim(op, argument, t, 1, elements / 2, "half of " + of);
    }

    /** The scales of a matrix of so many rows and columns. */
    static void scales(
            Op<?> op, String argument, Tensor t, Device device, ScaleLayout layout, long rows, long columns) {
        bytes(op, argument, t, device);
        boolean linear = layout == ScaleLayout.LINEAR;
        Check.dim(op, argument, t, 0, layout.rows(rows), linear ? "one for each row" : "rows in whole tiles of 128");
        Check.dim(
                op,
                argument,
                t,
                1,
                layout.groups(columns / GROUP),
                linear ? "one for each group of 16" : "groups of 16 in whole tiles of 4");
    }

    /** Neither NaN nor infinite. */
    static void finite(Op<?> op, String argument, float value) {
        if (!(Math.abs(value) <= Float.MAX_VALUE)) {
            throw Faults.of(op, argument, "a finite number", "" + value);
        }
    }

    /** 0 or more and finite. */
    static void notNegative(Op<?> op, String argument, float value) {
        if (!(value >= 0 && value <= Float.MAX_VALUE)) {
            throw Faults.of(op, argument, "a finite number of 0 or more", "" + value);
        }
    }
}
