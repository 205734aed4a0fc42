package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.GdnPostConv;
import dev.vt.ops.kernel.QkvSplit;

/** Contracts of what lies between the convolution and the gated delta rule. No state, any thread; writes nothing. */
final class GdnGateChecks {
    private GdnGateChecks() {}

    static void gBeta(Queue queue, Tensor g, Tensor beta, Tensor a, Tensor b, Tensor aLog, Tensor dtBias) {
        Op<?> op = OpTable.GDN_G_BETA;
        Device device = Check.device(op, queue);
        Check.dense(op, "g", g, device, 2);
        Check.dtype(op, "g", g, DType.F32);
        gates(op, g, beta, a, b, aLog, dtBias, device);
    }

    private static void gates(
            Op<?> op, Tensor g, Tensor beta, Tensor a, Tensor b, Tensor aLog, Tensor dtBias, Device device) {
        Check.dense(op, "beta", beta, device, 2);
        Check.dtype(op, "beta", beta, DType.F32);
        Check.sameShape(op, "beta", beta, "g", g);
        Check.apart(op, "g", g, "beta", beta);
        raw(op, "a", a, g, device);
        raw(op, "b", b, g, device);
        perHead(op, "aLog", aLog, g.dim(1), "dimension 1 of g", device);
        perHead(op, "dtBias", dtBias, g.dim(1), "dimension 1 of g", device);
        gatesApart(op, "g", g, a, b, aLog, dtBias);
        gatesApart(op, "beta", beta, a, b, aLog, dtBias);
    }

    private static void raw(Op<?> op, String argument, Tensor t, Tensor g, Device device) {
        Check.padded(op, argument, t, device, 2);
        Check.outFloats(op, argument, t);
        Check.sameShape(op, argument, t, "g", g);
    }

    private static void gatesApart(
            Op<?> op, String argument, Tensor written, Tensor a, Tensor b, Tensor aLog, Tensor dtBias) {
        Check.apart(op, argument, written, "a", a);
        Check.apart(op, argument, written, "b", b);
        Check.apart(op, argument, written, "aLog", aLog);
        Check.apart(op, argument, written, "dtBias", dtBias);
    }

    /** One number for each value head. */
    static void perHead(Op<?> op, String argument, Tensor t, long heads, String where, Device device) {
        Check.dense(op, argument, t, device, 1);
        Check.floats(op, argument, t);
        Check.dim(op, argument, t, 0, heads, where);
    }

    static void convSplit(Queue queue, Tensor q, Tensor k, Tensor v, Tensor x) {
        Op<QkvSplit> op = OpTable.GDN_CONV_SPLIT;
        Device device = Check.device(op, queue);
        part(op, "q", q, device, 2);
        part(op, "k", k, device, 2);
        Check.sameShape(op, "k", k, "q", q);
        part(op, "v", v, device, 2);
        Check.dim(op, "v", v, 0, q.dim(0), "dimension 0 of q");
        part(op, "x", x, device, 2);
        Check.dim(op, "x", x, 0, q.dim(0), "dimension 0 of q");
        width(op, x, q.dim(1), v.dim(1));
        partsApart(op, q, k, v, x);
    }

    static void postConv(
            Queue queue,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor x,
            Tensor a,
            Tensor b,
            Tensor aLog,
            Tensor dtBias,
            float eps) {
        Op<GdnPostConv> op = OpTable.GDN_POST_CONV;
        Device device = Check.device(op, queue);
        part(op, "q", q, device, 3);
        part(op, "k", k, device, 3);
        Check.sameShape(op, "k", k, "q", q);
        part(op, "v", v, device, 3);
        Check.dim(op, "v", v, 0, q.dim(0), "dimension 0 of q");
        part(op, "x", x, device, 2);
        Check.dim(op, "x", x, 0, q.dim(0), "dimension 0 of q");
        width(op, x, q.dim(1) * q.dim(2), v.dim(1) * v.dim(2));
        part(op, "g", g, device, 2);
        Check.dim(op, "g", g, 0, q.dim(0), "dimension 0 of q");
        Check.dim(op, "g", g, 1, v.dim(1), "dimension 1 of v");
        gates(op, g, beta, a, b, aLog, dtBias, device);
        Check.positive(op, "eps", eps);
        partsApart(op, q, k, v, x);
        partApart(op, "q", q, g, beta, a, b, aLog, dtBias);
        partApart(op, "k", k, g, beta, a, b, aLog, dtBias);
        partApart(op, "v", v, g, beta, a, b, aLog, dtBias);
        Check.apart(op, "g", g, "x", x);
        Check.apart(op, "beta", beta, "x", x);
    }

    private static void part(Op<?> op, String argument, Tensor t, Device device, int rank) {
        Check.dense(op, argument, t, device, rank);
        Check.dtype(op, argument, t, DType.F32);
    }

    private static void partsApart(Op<?> op, Tensor q, Tensor k, Tensor v, Tensor x) {
        Check.apart(op, "q", q, "k", k);
        Check.apart(op, "q", q, "v", v);
        Check.apart(op, "k", k, "v", v);
        Check.apart(op, "q", q, "x", x);
        Check.apart(op, "k", k, "x", x);
        Check.apart(op, "v", v, "x", x);
    }

    private static void partApart(
            Op<?> op,
            String argument,
            Tensor written,
            Tensor g,
            Tensor beta,
            Tensor a,
            Tensor b,
            Tensor aLog,
            Tensor dtBias) {
        Check.apart(op, argument, written, "g", g);
        Check.apart(op, argument, written, "beta", beta);
        gatesApart(op, argument, written, a, b, aLog, dtBias);
    }

    private static void width(Op<?> op, Tensor x, long keys, long values) {
        // Widths that no x can have must not wrap around to one that it has.
        if (keys > Long.MAX_VALUE / 4 || values > Long.MAX_VALUE / 4 || x.dim(1) != 2 * keys + values) {
            throw Faults.of(op, "x", "dimension 1 to be two times " + keys + " (q, k) and " + values + " (v)", "" + x);
        }
    }
}
