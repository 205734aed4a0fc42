package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.DropinProbe;
import org.jspecify.annotations.Nullable;

/** Contract of the op that adapters are checked with. */
final class ProbeChecks {
    private ProbeChecks() {}

    static void dropinProbe(Queue queue, Tensor out, Tensor x, Tensor ids, @Nullable Tensor scale) {
        Op<?> op = OpTable.DROPIN_PROBE;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 1);
        Check.dtype(op, "out", out, DType.I64);
        Check.dim(op, "out", out, 0, DropinProbe.SLOTS, "the elements of a report");
        Check.padded(op, "x", x, device, 2);
        Check.floats(op, "x", x);
        Check.apart(op, "out", out, "x", x);
        Check.dense(op, "ids", ids, device, 1);
        Check.ids(op, "ids", ids);
        Check.dim(op, "ids", ids, 0, x.dim(0), "dimension 0 of x");
        Check.apart(op, "out", out, "ids", ids);
        if (scale != null) {
            Check.dense(op, "scale", scale, device, 1);
            Check.floats(op, "scale", scale);
            Check.dim(op, "scale", scale, 0, x.dim(1), "dimension 1 of x");
            Check.apart(op, "out", out, "scale", scale);
        }
    }
}
