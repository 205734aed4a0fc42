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

    private NormChecks() {}

    static void rmsNorm(Queue queue, Tensor out, Tensor x, Tensor weight, @Nullable Tensor residual, float eps) {
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

    private static void residual(
            Op<RmsNorm> op, Tensor residual, Tensor out, Tensor x, Tensor weight, Device device) {
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

    private static void rowVector(Op<?> op, String argument, Tensor t, Tensor out, long width, Device device) {
        Check.dense(op, argument, t, device, 1);
        Check.floats(op, argument, t);
        Check.dim(op, argument, t, 0, width, OF_ROW);
        Check.apart(op, "out", out, argument, t);
    }
}
