package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.RouterParams;
import org.jspecify.annotations.Nullable;

/** Contracts of the ops of a mixture of experts. */
final class MoeChecks {
    private static final String TOKENS = "dimension 0 of out";
    private static final String EXPERTS = "dimension 1 of logits";

    private MoeChecks() {}

    static void routerTopK(
            Queue queue, Tensor weights, Tensor indices, Tensor logits, @Nullable Tensor bias, RouterParams params) {
        Op<?> op = OpTable.MOE_ROUTER_TOP_K;
        Device device = Check.device(op, queue);
        Check.dense(op, "weights", weights, device, 2);
        Check.dense(op, "indices", indices, device, 2);
        Check.dense(op, "logits", logits, device, 2);
        Check.dtype(op, "weights", weights, DType.F32);
        Check.dtype(op, "indices", indices, DType.I32);
        Check.floats(op, "logits", logits);
        Check.sameShape(op, "indices", indices, "weights", weights);
        Check.dim(op, "logits", logits, 0, weights.dim(0), "dimension 0 of weights");
        Check.apart(op, "weights", weights, "indices", indices);
        Check.apart(op, "weights", weights, "logits", logits);
        Check.apart(op, "indices", indices, "logits", logits);
        if (bias != null) {
            Check.dense(op, "bias", bias, device, 1);
            Check.dtype(op, "bias", bias, DType.F32);
            Check.dim(op, "bias", bias, 0, logits.dim(1), EXPERTS);
            Check.apart(op, "weights", weights, "bias", bias);
            Check.apart(op, "indices", indices, "bias", bias);
        }
        router(op, params, weights.dim(1), logits.dim(1));
    }

    private static void router(Op<?> op, RouterParams params, long k, long experts) {
        if (params == null) {
            throw Faults.missing(op, "params", "router parameters");
        }
        if (params.groups() < 1 || experts % params.groups() != 0) {
            throw Faults.of(
                    op,
                    "params",
                    "groups to be 1 or more and to divide " + experts + " experts (" + EXPERTS + ")",
                    "" + params.groups());
        }
        if (params.topGroups() < 1 || params.topGroups() > params.groups()) {
            throw Faults.of(op, "params", "topGroups from 1 to " + params.groups(), "" + params.topGroups());
        }
        long eligible = experts / params.groups() * params.topGroups();
        if (k > eligible) {
            throw Faults.of(
                    op, "params", "groups that keep the " + k + " experts of weights", "groups that keep " + eligible);
        }
        Check.positive(op, "params", params.scale());
    }

    static void combine(Queue queue, Tensor out, Tensor expertOut, Tensor weights, @Nullable Tensor shared) {
        Op<?> op = OpTable.MOE_COMBINE;
        Device device = weighted(op, queue, out, expertOut, weights);
        if (shared != null) {
            Check.dense(op, "shared", shared, device, 2);
            Check.floats(op, "shared", shared);
            Check.sameShape(op, "shared", shared, "out", out);
            Check.apart(op, "out", out, "shared", shared);
        }
    }

    static void combineGate(
            Queue queue, Tensor out, Tensor expertOut, Tensor weights, Tensor shared, Tensor gateLogits) {
        Op<?> op = OpTable.MOE_COMBINE_GATE;
        Device device = weighted(op, queue, out, expertOut, weights);
        Check.dense(op, "shared", shared, device, 2);
        Check.dtype(op, "shared", shared, DType.F32);
        Check.sameShape(op, "shared", shared, "out", out);
        Check.apart(op, "out", out, "shared", shared);
        Check.dense(op, "gateLogits", gateLogits, device, 2);
        Check.dtype(op, "gateLogits", gateLogits, DType.F32);
        Check.dim(op, "gateLogits", gateLogits, 0, out.dim(0), TOKENS);
        Check.dim(op, "gateLogits", gateLogits, 1, 1, "one gate a token");
        Check.apart(op, "out", out, "gateLogits", gateLogits);
    }

    private static Device weighted(Op<?> op, Queue queue, Tensor out, Tensor expertOut, Tensor weights) {
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.dense(op, "expertOut", expertOut, device, 3);
        Check.dense(op, "weights", weights, device, 2);
        Check.outFloats(op, "out", out);
        Check.floats(op, "expertOut", expertOut);
        Check.dtype(op, "weights", weights, DType.F32);
        Check.dim(op, "expertOut", expertOut, 0, out.dim(0), TOKENS);
        Check.dim(op, "expertOut", expertOut, 2, out.dim(1), "dimension 1 of out");
        Check.dim(op, "weights", weights, 0, out.dim(0), TOKENS);
        Check.dim(op, "weights", weights, 1, expertOut.dim(1), "dimension 1 of expertOut");
        Check.apart(op, "out", out, "expertOut", expertOut);
        Check.apart(op, "out", out, "weights", weights);
        return device;
    }

    static void siluMul(Queue queue, Tensor out, Tensor gate, Tensor up) {
        Op<?> op = OpTable.MOE_SILU_MUL;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.dense(op, "gate", gate, device, 2);
        Check.dense(op, "up", up, device, 2);
        Check.outFloats(op, "out", out);
        Check.floats(op, "gate", gate);
        Check.floats(op, "up", up);
        Check.sameShape(op, "gate", gate, "out", out);
        Check.sameShape(op, "up", up, "out", out);
        Check.apart(op, "out", out, "gate", gate);
        Check.apart(op, "out", out, "up", up);
    }

    static void sharedExpertGate(Queue queue, Tensor out, Tensor shared, Tensor gateLogits) {
        Op<?> op = OpTable.SHARED_EXPERT_GATE;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.dense(op, "shared", shared, device, 2);
        Check.dtype(op, "out", out, DType.BF16);
        Check.dtype(op, "shared", shared, DType.F32);
        Check.sameShape(op, "shared", shared, "out", out);
        Check.apart(op, "out", out, "shared", shared);
        Check.anyRank(op, "gateLogits", gateLogits, device, 1);
        Check.dtype(op, "gateLogits", gateLogits, DType.F32);
        if (gateLogits.rank() > 2 || (gateLogits.rank() == 2 && gateLogits.dim(1) != 1)) {
            throw Faults.of(op, "gateLogits", "one element a token, [T] or [T,1]", "" + gateLogits);
        }
        Check.dim(op, "gateLogits", gateLogits, 0, out.dim(0), TOKENS);
        Check.apart(op, "out", out, "gateLogits", gateLogits);
    }

    static void groupedGemmBf16(
            Queue queue, Tensor out, Tensor act, Tensor expertIds, @Nullable Tensor rowMap, Tensor weights) {
        Op<?> op = OpTable.MOE_GROUPED_GEMM_BF16;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.dense(op, "act", act, device, 2);
        Check.outFloats(op, "out", out);
        Check.floats(op, "act", act);
        Check.apart(op, "out", out, "act", act);
        perRow(op, "expertIds", expertIds, out, device);
        if (rowMap != null) {
            perRow(op, "rowMap", rowMap, out, device);
        } else {
            Check.dim(op, "act", act, 0, out.dim(0), "dimension 0 of out, as there is no rowMap");
        }
        Check.dense(op, "weights", weights, device, 1);
        Check.dtype(op, "weights", weights, DType.I64);
        Check.apart(op, "out", out, "weights", weights);
    }

    private static void perRow(Op<?> op, String argument, Tensor t, Tensor out, Device device) {
        Check.dense(op, argument, t, device, 1);
        Check.dtype(op, argument, t, DType.I32);
        Check.dim(op, argument, t, 0, out.dim(0), TOKENS);
        Check.apart(op, "out", out, argument, t);
    }
}
