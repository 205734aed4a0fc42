package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.Chain;
import org.jspecify.annotations.Nullable;

/** Contract of {@code fused_chain}. */
final class ChainChecks {
    private ChainChecks() {}

    static void chain(
            Queue queue,
            Tensor out,
            Tensor x,
            @Nullable Tensor weight,
            @Nullable Tensor residual,
            Chain chain,
            float eps) {
        Op<?> op = OpTable.FUSED_CHAIN;
        Device device = Check.device(op, queue);
        if (chain == null) {
            throw Faults.missing(op, "chain", "a chain");
        }
        Check.dense(op, "out", out, device, 2);
        Check.outFloats(op, "out", out);
        Check.dense(op, "x", x, device, 2);
        Check.floats(op, "x", x);
        Check.sameShape(op, "out", out, "x", x);
        Check.apart(op, "out", out, "x", x);
        Check.positive(op, "eps", eps);
        present(op, "weight", weight, chain.uses(Chain.WEIGHT));
        present(op, "residual", residual, chain.uses(Chain.RESIDUAL));
        if (weight != null) {
            Check.dense(op, "weight", weight, device, 1);
            Check.floats(op, "weight", weight);
            Check.dim(op, "weight", weight, 0, x.dim(1), "dimension 1 of x");
            Check.apart(op, "out", out, "weight", weight);
        }
        if (residual != null) {
            residual(op, residual, out, x, weight, device);
        }
    }

    private static void present(Op<?> op, String argument, @Nullable Tensor t, boolean used) {
        if (used && t == null) {
            throw Faults.missing(op, argument, "a tensor, since the chain uses it");
        }
    }

    private static void residual(
            Op<?> op, Tensor residual, Tensor out, Tensor x, @Nullable Tensor weight, Device device) {
        Check.dense(op, "residual", residual, device, 2);
        Check.outFloats(op, "residual", residual);
        Check.sameShape(op, "residual", residual, "x", x);
        Check.apart(op, "residual", residual, "out", out);
        Check.apart(op, "residual", residual, "x", x);
        if (weight != null) {
            Check.apart(op, "residual", residual, "weight", weight);
        }
    }
}
