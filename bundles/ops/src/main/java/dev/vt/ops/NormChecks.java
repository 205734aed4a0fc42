package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.LayerNorm;
import dev.vt.ops.kernel.RmsNorm;
import org.jspecify.annotations.Nullable;

/** Contracts of the normalisations. */
final class NormChecks {
    private static final String OF_ROW = "the last dimension of x";

    private static final int MATRIX = 1 << 2 | Tensor.CONTIGUOUS;
    private static final int INPUT = MATRIX | Tensor.FLOAT;
    private static final int OUTPUT = MATRIX | Tensor.FLOAT_OUTPUT;
    private static final int WEIGHT = 1 << 1 | Tensor.CONTIGUOUS | Tensor.FLOAT;

    private NormChecks() {}

    static void rmsNorm(Queue queue, Tensor out, Tensor x, Tensor weight, @Nullable Tensor residual, float eps) {
        if (queue == null
                || !plain(queue.device(), out, x, weight)
                || !(eps > 0 && eps <= Float.MAX_VALUE)
                || (residual != null && !plainResidual(queue.device(), residual, out, x, weight))) {
            carefully(queue, out, x, weight, residual, eps);
        }
    }

    /** The common case in a dozen compares. */
    private static boolean plain(Device device, Tensor out, Tensor x, Tensor weight) {
        return Check.plain(out, device, OUTPUT)
                && Check.plain(x, device, INPUT)
                && Check.plain(weight, device, WEIGHT)
                && out.sameShape(x)
                && weight.dim(0) == x.dim(1)
                && Check.elsewhere(out, x)
                && Check.elsewhere(out, weight);
    }

    private static boolean plainResidual(Device device, Tensor residual, Tensor out, Tensor x, Tensor weight) {
        return Check.plain(residual, device, OUTPUT)
                && residual.sameShape(x)
                && Check.elsewhere(residual, out)
                && Check.elsewhere(residual, x)
                && Check.elsewhere(residual, weight);
    }

    private static void carefully(
            Queue queue, Tensor out, Tensor x, Tensor weight, @Nullable Tensor residual, float eps) {
        Op<RmsNorm> op = OpTable.RMS_NORM;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.dense(op, "x", x, device, 2);
        Check.outFloats(op, "out", out);
        Check.floats(op, "x", x);
        Check.sameShape(op, "out", out, "x", x);
        Check.apart(op, "out", out, "x", x);
        rowVector(op, "weight", weight, out, x.dim(1), device);
        Check.positive(op, "eps", eps);
        if (residual != null) {
            residual(op, residual, out, x, weight, device);
        }
    }

    private static void residual(Op<RmsNorm> op, Tensor residual, Tensor out, Tensor x, Tensor weight, Device device) {
        Check.dense(op, "residual", residual, device, 2);
        Check.outFloats(op, "residual", residual);
        Check.sameShape(op, "residual", residual, "x", x);
        Check.apart(op, "residual", residual, "out", out);
        Check.apart(op, "residual", residual, "x", x);
        Check.apart(op, "residual", residual, "weight", weight);
    }

    static void layerNorm(
            Queue queue, Tensor out, Tensor x, @Nullable Tensor weight, @Nullable Tensor bias, float eps) {
        Op<LayerNorm> op = OpTable.LAYER_NORM;
        Device device = Check.device(op, queue);
        Check.anyRank(op, "out", out, device, 1);
        Check.anyRank(op, "x", x, device, 1);
        Check.outFloats(op, "out", out);
        Check.floats(op, "x", x);
        Check.sameShape(op, "out", out, "x", x);
        Check.apart(op, "out", out, "x", x);
        Check.positive(op, "eps", eps);
        if (weight != null) {
            rowVector(op, "weight", weight, out, x.lastDim(), device);
        }
        if (bias != null) {
            rowVector(op, "bias", bias, out, x.lastDim(), device);
        }
    }

    static void l2Norm(Queue queue, Tensor out, Tensor x, float eps) {
        Op<?> op = OpTable.L2_NORM;
        lastDim(op, queue, out, x);
        Check.positive(op, "eps", eps);
    }

    static void rmsNormGated(Queue queue, Tensor out, Tensor x, Tensor gate, Tensor weight, float eps) {
        Op<?> op = OpTable.RMS_NORM_GATED;
        Device device = lastDim(op, queue, out, x);
        Check.anyRankPadded(op, "gate", gate, device, 2);
        Check.floats(op, "gate", gate);
        Check.sameShape(op, "gate", gate, "x", x);
        Check.apart(op, "out", out, "gate", gate);
        rowVector(op, "weight", weight, out, x.lastDim(), device);
        Check.positive(op, "eps", eps);
    }

    /** Rows or heads: rank 2 or 3. */
    private static Device lastDim(Op<?> op, Queue queue, Tensor out, Tensor x) {
        Device device = Check.device(op, queue);
        Check.anyRank(op, "out", out, device, 2);
        Check.anyRank(op, "x", x, device, 2);
        if (out.rank() > 3) {
            throw Faults.of(op, "out", "a tensor of rank 2 or 3", "" + out);
        }
        Check.outFloats(op, "out", out);
        Check.floats(op, "x", x);
        Check.sameShape(op, "x", x, "out", out);
        Check.apart(op, "out", out, "x", x);
        return device;
    }

    private static void rowVector(Op<?> op, String argument, Tensor t, Tensor out, long width, Device device) {
        Check.dense(op, argument, t, device, 1);
        Check.floats(op, argument, t);
        Check.dim(op, argument, t, 0, width, OF_ROW);
        Check.apart(op, "out", out, argument, t);
    }
}
