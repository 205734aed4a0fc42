package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.MatmulFp8;
import org.jspecify.annotations.Nullable;

/** Contracts of the fp8 ops. */
final class Fp8Checks {
    /** What rows of fp8 operands are a multiple of, so that each begins where a 16-byte load may. */
    private static final int ALIGNED = 16;

    private Fp8Checks() {}

    static void matmul(Op<MatmulFp8> op, Queue queue, Tensor out, Tensor a, Tensor b, float alpha) {
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.outFloats(op, "out", out);
        ScaleChecks.bytes(op, "a", a, device);
        ScaleChecks.bytes(op, "b", b, device);
        Check.dim(op, "b", b, 1, a.dim(1), "dimension 1 of a");
        Check.dim(op, "out", out, 0, a.dim(0), "dimension 0 of a");
        Check.dim(op, "out", out, 1, b.dim(0), "dimension 0 of b");
        ScaleChecks.multiple(op, "a", a, 1, ALIGNED);
        ScaleChecks.multiple(op, "b", b, 0, ALIGNED);
        ScaleChecks.finite(op, "alpha", alpha);
        Check.apart(op, "out", out, "a", a);
        Check.apart(op, "out", out, "b", b);
    }

    static void quant(Queue queue, Tensor out, Tensor x, float scale) {
        Op<?> op = OpTable.QUANT_FP8_STATIC;
        Device device = Check.device(op, queue);
        ScaleChecks.bytes(op, "out", out, device);
        Check.dense(op, "x", x, device, 2);
        Check.floats(op, "x", x);
        Check.sameShape(op, "out", out, "x", x);
        Check.positive(op, "scale", scale);
        Check.apart(op, "out", out, "x", x);
    }

    static void rmsNorm(
            Queue queue,
            Tensor out,
            @Nullable Tensor copy,
            Tensor x,
            Tensor weight,
            @Nullable Tensor residual,
            float eps,
            float scale) {
        Op<?> op = OpTable.RMS_NORM_QUANT_FP8;
        Device device = Check.device(op, queue);
        ScaleChecks.bytes(op, "out", out, device);
        Check.dense(op, "x", x, device, 2);
        Check.floats(op, "x", x);
        Check.sameShape(op, "out", out, "x", x);
        Check.apart(op, "out", out, "x", x);
        weight(op, weight, out, x, device);
        Check.positive(op, "eps", eps);
        Check.positive(op, "scale", scale);
        if (copy != null) {
            Check.dense(op, "copy", copy, device, 2);
            Check.dtype(op, "copy", copy, DType.BF16);
            written(op, "copy", copy, out, x, weight);
        }
        if (residual != null) {
            Check.dense(op, "residual", residual, device, 2);
            Check.outFloats(op, "residual", residual);
            written(op, "residual", residual, out, x, weight);
            if (copy != null) {
                Check.apart(op, "residual", residual, "copy", copy);
            }
        }
    }

    private static void weight(Op<?> op, Tensor weight, Tensor out, Tensor x, Device device) {
        Check.dense(op, "weight", weight, device, 1);
        Check.floats(op, "weight", weight);
        Check.dim(op, "weight", weight, 0, x.lastDim(), "the last dimension of x");
        Check.apart(op, "out", out, "weight", weight);
    }

    /** A second tensor that is written, of x's shape. */
    private static void written(Op<?> op, String argument, Tensor t, Tensor out, Tensor x, Tensor weight) {
        Check.sameShape(op, argument, t, "x", x);
        Check.apart(op, argument, t, "out", out);
        Check.apart(op, argument, t, "x", x);
        Check.apart(op, argument, t, "weight", weight);
    }

    static void rmsNormGated(Queue queue, Tensor out, Tensor x, Tensor gate, Tensor weight, float eps, float scale) {
        Op<?> op = OpTable.RMS_NORM_GATED_QUANT_FP8;
        Device device = Check.device(op, queue);
        Check.anyRank(op, "x", x, device, 2);
        if (x.rank() > 3) {
            throw Faults.of(op, "x", "a tensor of rank 2 or 3", "" + x);
        }
        Check.floats(op, "x", x);
        Check.anyRank(op, "out", out, device, 2);
        Check.dtype(op, "out", out, DType.I8);
        Check.sameShape(op, "out", out, "x", x);
        Check.anyRankPadded(op, "gate", gate, device, 2);
        Check.floats(op, "gate", gate);
        Check.sameShape(op, "gate", gate, "x", x);
        weight(op, weight, out, x, device);
        Check.positive(op, "eps", eps);
        Check.positive(op, "scale", scale);
        Check.apart(op, "out", out, "x", x);
        Check.apart(op, "out", out, "gate", gate);
    }
}
