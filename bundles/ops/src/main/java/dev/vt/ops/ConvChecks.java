package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.CausalConv1dFwd;
import dev.vt.ops.kernel.CausalConv1dUpdate;
import org.jspecify.annotations.Nullable;

/** Contracts of the causal convolutions. No state, any thread; writes nothing. */
final class ConvChecks {
    private ConvChecks() {}

    static void fwd(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor weight,
            @Nullable Tensor bias,
            Tensor state,
            Tensor queryStartLoc,
            Tensor hasInitialState) {
        Op<CausalConv1dFwd> op = OpTable.CAUSAL_CONV1D_FWD;
        Device device = Check.device(op, queue);
        operands(op, out, x, weight, bias, state, device);
        Check.dense(op, "queryStartLoc", queryStartLoc, device, 1);
        Check.dtype(op, "queryStartLoc", queryStartLoc, DType.I32);
        Check.dim(op, "queryStartLoc", queryStartLoc, 0, state.dim(0) + 1, "1 more than dimension 0 of state");
        Check.dense(op, "hasInitialState", hasInitialState, device, 1);
        flags(op, hasInitialState);
        Check.dim(op, "hasInitialState", hasInitialState, 0, state.dim(0), "dimension 0 of state");
        both(op, out, state, "queryStartLoc", queryStartLoc);
        both(op, out, state, "hasInitialState", hasInitialState);
    }

    private static void flags(Op<?> op, Tensor hasInitialState) {
        if (hasInitialState.dtype() != DType.I8 && hasInitialState.dtype() != DType.I32) {
            throw Faults.dtype(op, "hasInitialState", hasInitialState, "i8 or i32");
        }
    }

    static void update(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor weight,
            @Nullable Tensor bias,
            Tensor state,
            @Nullable Tensor stateIndices) {
        Op<CausalConv1dUpdate> op = OpTable.CAUSAL_CONV1D_UPDATE;
        Device device = Check.device(op, queue);
        operands(op, out, x, weight, bias, state, device);
        StateChecks.slots(op, state, stateIndices, "x", x, device);
        if (stateIndices != null) {
            both(op, out, state, "stateIndices", stateIndices);
        }
    }

    private static void operands(
            Op<?> op, Tensor out, Tensor x, Tensor weight, @Nullable Tensor bias, Tensor state, Device device) {
        Check.dense(op, "out", out, device, 2);
        Check.dense(op, "x", x, device, 2);
        Check.outFloats(op, "out", out);
        Check.floats(op, "x", x);
        Check.sameShape(op, "out", out, "x", x);
        Check.dense(op, "weight", weight, device, 2);
        Check.floats(op, "weight", weight);
        Check.dim(op, "weight", weight, 0, x.dim(1), "dimension 1 of x");
        if (weight.dim(1) == 0) {
            throw Faults.notEmpty(op, "weight", weight, 1);
        }
        Check.dense(op, "state", state, device, 3);
        Check.dtype(op, "state", state, DType.F32);
        Check.dim(op, "state", state, 1, x.dim(1), "dimension 1 of x");
        Check.dim(op, "state", state, 2, weight.dim(1) - 1, "1 less than dimension 1 of weight");
        Check.apart(op, "out", out, "state", state);
        both(op, out, state, "x", x);
        both(op, out, state, "weight", weight);
        if (bias != null) {
            Check.dense(op, "bias", bias, device, 1);
            Check.floats(op, "bias", bias);
            Check.dim(op, "bias", bias, 0, x.dim(1), "dimension 1 of x");
            both(op, out, state, "bias", bias);
        }
    }

    /** What is written lies apart from an input. */
    private static void both(Op<?> op, Tensor out, Tensor state, String name, Tensor input) {
        Check.apart(op, "out", out, name, input);
        Check.apart(op, "state", state, name, input);
    }
}
