package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.GdnDecode;
import dev.vt.ops.kernel.GdnPackedDecode;
import dev.vt.ops.kernel.GdnPrefill;
import org.jspecify.annotations.Nullable;

/** Contracts of the gated delta rule. No state, any thread; writes nothing. */
final class GdnChecks {
    private GdnChecks() {}

    static void prefill(
            Queue queue,
            Tensor out,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor state,
            Tensor queryStartLoc,
            float scale) {
        Op<GdnPrefill> op = OpTable.GDN_PREFILL;
        Device device = Check.device(op, queue);
        operands(op, out, q, k, v, g, beta, state, device);
        Check.dense(op, "queryStartLoc", queryStartLoc, device, 1);
        Check.dtype(op, "queryStartLoc", queryStartLoc, DType.I32);
        Check.dim(op, "queryStartLoc", queryStartLoc, 0, state.dim(0) + 1, "1 more than dimension 0 of state");
        Check.positive(op, "scale", scale);
        both(op, out, state, "queryStartLoc", queryStartLoc);
    }

    static void decode(
            Queue queue,
            Tensor out,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor state,
            @Nullable Tensor stateIndices,
            float scale) {
        Op<GdnDecode> op = OpTable.GDN_DECODE;
        Device device = Check.device(op, queue);
        operands(op, out, q, k, v, g, beta, state, device);
        StateChecks.slots(op, state, stateIndices, "v", v, device);
        Check.positive(op, "scale", scale);
        if (stateIndices != null) {
            both(op, out, state, "stateIndices", stateIndices);
        }
    }

    private static void operands(
            Op<?> op, Tensor out, Tensor q, Tensor k, Tensor v, Tensor g, Tensor beta, Tensor state, Device device) {
        floats(op, "q", q, device);
        floats(op, "k", k, device);
        Check.sameShape(op, "k", k, "q", q);
        floats(op, "v", v, device);
        Check.dim(op, "v", v, 0, q.dim(0), "dimension 0 of q");
        output(op, out, device);
        Check.sameShape(op, "out", out, "v", v);
        groups(op, "v", v, q.dim(1), "dimension 1 of q");
        perHead(op, "g", g, v, device);
        perHead(op, "beta", beta, v, device);
        state(op, state, "v", v, device);
        Check.dim(op, "state", state, 3, q.dim(2), "dimension 2 of q");
        Check.apart(op, "out", out, "state", state);
        both(op, out, state, "q", q);
        both(op, out, state, "k", k);
        both(op, out, state, "v", v);
        both(op, out, state, "g", g);
        both(op, out, state, "beta", beta);
    }

    private static void floats(Op<?> op, String argument, Tensor t, Device device) {
        Check.dense(op, argument, t, device, 3);
        Check.floats(op, argument, t);
    }

    private static void output(Op<?> op, Tensor out, Device device) {
        Check.dense(op, "out", out, device, 3);
        Check.outFloats(op, "out", out);
    }

    /** Every key head serves the same number of value heads. */
    private static void groups(Op<?> op, String argument, Tensor v, long keyHeads, String where) {
        long heads = v.dim(1);
        if (heads != keyHeads && (keyHeads == 0 || heads % keyHeads != 0)) {
            throw Faults.of(op, argument, "dimension 1 to be a multiple of " + keyHeads + " (" + where + ")", "" + v);
        }
    }

    private static void perHead(Op<?> op, String argument, Tensor t, Tensor v, Device device) {
        Check.dense(op, argument, t, device, 2);
        Check.dtype(op, argument, t, DType.F32);
        Check.dim(op, argument, t, 0, v.dim(0), "dimension 0 of v");
        Check.dim(op, argument, t, 1, v.dim(1), "dimension 1 of v");
    }

    private static void state(Op<?> op, Tensor state, String like, Tensor v, Device device) {
        Check.dense(op, "state", state, device, 4);
        Check.dtype(op, "state", state, DType.F32);
        if (state.dim(1) != v.dim(1) || state.dim(2) != v.dim(2)) {
            throw Faults.of(op, "state", "dimensions 1 and 2 as in " + like + ", which is " + v, "" + state);
        }
    }

    /** What is written lies apart from an input. */
    private static void both(Op<?> op, Tensor out, Tensor state, String name, Tensor input) {
        Check.apart(op, "out", out, name, input);
        Check.apart(op, "state", state, name, input);
    }

    static void packedDecode(
            Queue queue,
            Tensor out,
            Tensor mixedQkv,
            Tensor a,
            Tensor b,
            Tensor aLog,
            Tensor dtBias,
            Tensor state,
            Tensor stateIndices,
            float scale,
            float eps) {
        Op<GdnPackedDecode> op = OpTable.GDN_PACKED_DECODE;
        Device device = Check.device(op, queue);
        output(op, out, device);
        state(op, state, "out", out, device);
        Check.dense(op, "mixedQkv", mixedQkv, device, 2);
        Check.floats(op, "mixedQkv", mixedQkv);
        Check.dim(op, "mixedQkv", mixedQkv, 0, out.dim(0), "dimension 0 of out");
        keyHeads(op, mixedQkv, out, state);
        gate(op, "a", a, out, device);
        gate(op, "b", b, out, device);
        GdnGateChecks.perHead(op, "aLog", aLog, out.dim(1), "dimension 1 of out", device);
        GdnGateChecks.perHead(op, "dtBias", dtBias, out.dim(1), "dimension 1 of out", device);
        Check.dense(op, "stateIndices", stateIndices, device, 1);
        StateChecks.slots(op, state, stateIndices, "out", out, device);
        Check.positive(op, "scale", scale);
        Check.positive(op, "eps", eps);
        Check.apart(op, "out", out, "state", state);
        both(op, out, state, "mixedQkv", mixedQkv);
        both(op, out, state, "a", a);
        both(op, out, state, "b", b);
        both(op, out, state, "aLog", aLog);
        both(op, out, state, "dtBias", dtBias);
        both(op, out, state, "stateIndices", stateIndices);
    }

    private static void gate(Op<?> op, String argument, Tensor t, Tensor out, Device device) {
        Check.dense(op, argument, t, device, 2);
        Check.floats(op, argument, t);
        Check.dim(op, argument, t, 0, out.dim(0), "dimension 0 of out");
        Check.dim(op, argument, t, 1, out.dim(1), "dimension 1 of out");
    }

    /** What the values leave of a row is one or more heads of queries and as many of keys. */
    private static void keyHeads(Op<?> op, Tensor mixedQkv, Tensor out, Tensor state) {
        long values = out.dim(1) * out.dim(2);
        long keys = mixedQkv.dim(1) - values;
        long dim = state.dim(3);
        boolean whole = dim == 0 ? keys == 0 : keys >= 0 && keys % 2 == 0 && keys / 2 % dim == 0;
        if (!whole) {
            throw Faults.of(
                    op,
                    "mixedQkv",
                    "dimension 1 to be " + values + " (values) and two times whole heads of " + dim
                            + " (dimension 3 of state)",
                    "" + mixedQkv);
        }
        if (dim != 0) {
            groups(op, "out", out, keys / 2 / dim, "the key heads in mixedQkv");
        }
    }
}
