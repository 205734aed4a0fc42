package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.Attention;
import dev.vt.ops.kernel.AttnGateSplit;
import dev.vt.ops.kernel.AttnQkNormRopeGate;
import dev.vt.ops.kernel.MergeAttnStates;
import org.jspecify.annotations.Nullable;

/** Contracts of attention without a cache, and of the gated form's steps around it. */
final class DenseAttentionChecks {
    private DenseAttentionChecks() {}

    static void attention(Queue queue, Tensor out, Tensor query, Tensor key, Tensor value, float scale) {
        Op<Attention> op = OpTable.ATTENTION;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 3);
        Check.dense(op, "query", query, device, 3);
        Check.dense(op, "key", key, device, 3);
        Check.dense(op, "value", value, device, 3);
        Check.outFloats(op, "out", out);
        Check.floats(op, "query", query);
        Check.floats(op, "key", key);
        Check.floats(op, "value", value);
        Check.sameShape(op, "out", out, "query", query);
        Check.dim(op, "key", key, 0, query.dim(0), "dimension 0 of query");
        Check.dim(op, "key", key, 2, query.dim(2), "dimension 2 of query");
        Check.sameShape(op, "value", value, "key", key);
        long heads = query.dim(1);
        long keyHeads = key.dim(1);
        if (heads != keyHeads && (keyHeads == 0 || heads % keyHeads != 0)) {
            throw Faults.of(op, "query", "dimension 1 to be a multiple of that of key, which is " + key, "" + query);
        }
        Check.positive(op, "scale", scale);
        Check.apart(op, "out", out, "query", query);
        Check.apart(op, "out", out, "key", key);
        Check.apart(op, "out", out, "value", value);
    }

    static void merge(
            Queue queue,
            Tensor out,
            @Nullable Tensor outLse,
            Tensor prefix,
            Tensor prefixLse,
            Tensor suffix,
            Tensor suffixLse) {
        Op<MergeAttnStates> op = OpTable.MERGE_ATTN_STATES;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 3);
        Check.dense(op, "prefix", prefix, device, 3);
        Check.dense(op, "suffix", suffix, device, 3);
        Check.outFloats(op, "out", out);
        Check.floats(op, "prefix", prefix);
        Check.floats(op, "suffix", suffix);
        Check.sameShape(op, "prefix", prefix, "out", out);
        Check.sameShape(op, "suffix", suffix, "out", out);
        lse(op, "prefixLse", prefixLse, out, device);
        lse(op, "suffixLse", suffixLse, out, device);
        mergeApart(op, "out", out, prefix, prefixLse, suffix, suffixLse);
        if (outLse != null) {
            lse(op, "outLse", outLse, out, device);
            Check.apart(op, "outLse", outLse, "out", out);
            mergeApart(op, "outLse", outLse, prefix, prefixLse, suffix, suffixLse);
        }
    }

    private static void lse(Op<?> op, String argument, Tensor lse, Tensor out, Device device) {
        Check.dense(op, argument, lse, device, 2);
        Check.dtype(op, argument, lse, DType.F32);
        Check.dim(op, argument, lse, 0, out.dim(1), "dimension 1 of out");
        Check.dim(op, argument, lse, 1, out.dim(0), "dimension 0 of out");
    }

    private static void mergeApart(
            Op<?> op, String argument, Tensor t, Tensor prefix, Tensor prefixLse, Tensor suffix, Tensor suffixLse) {
        Check.apart(op, argument, t, "prefix", prefix);
        Check.apart(op, argument, t, "prefixLse", prefixLse);
        Check.apart(op, argument, t, "suffix", suffix);
        Check.apart(op, argument, t, "suffixLse", suffixLse);
    }

    static void gateSplit(Queue queue, Tensor q, Tensor gate, Tensor qGate) {
        Op<AttnGateSplit> op = OpTable.ATTN_GATE_SPLIT;
        Device device = Check.device(op, queue);
        heads(op, "q", q, device);
        gated(op, "q", q, "gate", gate, qGate, device);
        Check.apart(op, "q", q, "gate", gate);
        Check.apart(op, "q", q, "qGate", qGate);
        Check.apart(op, "gate", gate, "qGate", qGate);
    }

    private static void heads(Op<?> op, String argument, Tensor t, Device device) {
        Check.dense(op, argument, t, device, 3);
        Check.dtype(op, argument, t, DType.F32);
    }

    /** The merged projection, and the gate beside the query that it is split into. */
    private static void gated(
            Op<?> op, String queryName, Tensor query, String gateName, Tensor gate, Tensor qGate, Device device) {
        heads(op, gateName, gate, device);
        Check.sameShape(op, gateName, gate, queryName, query);
        merged(op, "qGate", qGate, query.dim(0), queryName, device);
        Check.dim(op, "qGate", qGate, 1, 2 * query.dim(1) * query.dim(2), "twice dimensions 1 and 2 of " + queryName);
    }

    private static void merged(Op<?> op, String argument, Tensor t, long rows, String like, Device device) {
        Check.dense(op, argument, t, device, 2);
        Check.floats(op, argument, t);
        Check.dim(op, argument, t, 0, rows, "dimension 0 of " + like);
    }

    static void qkNormRopeGate(
            Queue queue,
            Tensor qOut,
            Tensor kOut,
            Tensor gateOut,
            Tensor qGate,
            Tensor k,
            Tensor qNorm,
            Tensor kNorm,
            Tensor cosSin,
            float eps) {
        Op<AttnQkNormRopeGate> op = OpTable.ATTN_QK_NORM_ROPE_GATE;
        Device device = Check.device(op, queue);
        heads(op, "qOut", qOut, device);
        gated(op, "qOut", qOut, "gateOut", gateOut, qGate, device);
        heads(op, "kOut", kOut, device);
        Check.dim(op, "kOut", kOut, 0, qOut.dim(0), "dimension 0 of qOut");
        Check.dim(op, "kOut", kOut, 2, qOut.dim(2), "dimension 2 of qOut");
        merged(op, "k", k, qOut.dim(0), "qOut", device);
        Check.dim(op, "k", k, 1, kOut.dim(1) * kOut.dim(2), "dimensions 1 and 2 of kOut");
        weight(op, "qNorm", qNorm, qOut, device);
        weight(op, "kNorm", kNorm, qOut, device);
        angles(op, cosSin, qOut, device);
        Check.positive(op, "eps", eps);
        Check.apart(op, "qOut", qOut, "kOut", kOut);
        Check.apart(op, "qOut", qOut, "gateOut", gateOut);
        Check.apart(op, "kOut", kOut, "gateOut", gateOut);
        inputsApart(op, "qOut", qOut, qGate, k, qNorm, kNorm, cosSin);
        inputsApart(op, "kOut", kOut, qGate, k, qNorm, kNorm, cosSin);
        inputsApart(op, "gateOut", gateOut, qGate, k, qNorm, kNorm, cosSin);
    }

    private static void weight(Op<?> op, String argument, Tensor t, Tensor qOut, Device device) {
        Check.dense(op, argument, t, device, 1);
        Check.floats(op, argument, t);
        Check.dim(op, argument, t, 0, qOut.dim(2), "dimension 2 of qOut");
    }

    private static void angles(Op<?> op, Tensor cosSin, Tensor qOut, Device device) {
        Check.dense(op, "cosSin", cosSin, device, 2);
        Check.dtype(op, "cosSin", cosSin, DType.F32);
        Check.dim(op, "cosSin", cosSin, 0, qOut.dim(0), "dimension 0 of qOut");
        RopeChecks.rotaryWidth(op, cosSin, "qOut", qOut);
    }

    private static void inputsApart(
            Op<?> op, String argument, Tensor t, Tensor qGate, Tensor k, Tensor qNorm, Tensor kNorm, Tensor cosSin) {
        Check.apart(op, argument, t, "qGate", qGate);
        Check.apart(op, argument, t, "k", k);
        Check.apart(op, argument, t, "qNorm", qNorm);
        Check.apart(op, argument, t, "kNorm", kNorm);
        Check.apart(op, argument, t, "cosSin", cosSin);
    }
}
