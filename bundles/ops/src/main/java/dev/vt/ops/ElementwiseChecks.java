package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.Binary;
import dev.vt.ops.kernel.MulColVecF32;
import dev.vt.ops.kernel.QkvSplit;

/** Contracts of the ops that work element by element, and of those that only move data. */
final class ElementwiseChecks {
    private ElementwiseChecks() {}

    /** {@code silu_and_mul} and {@code gelu_and_mul}. */
    static void gated(Op<?> op, Queue queue, Tensor out, Tensor x) {
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.dense(op, "x", x, device, 2);
        Check.outFloats(op, "out", out);
        Check.floats(op, "x", x);
        Check.dim(op, "x", x, 0, out.dim(0), "dimension 0 of out");
        Check.dim(op, "x", x, 1, 2 * out.dim(1), "twice dimension 1 of out");
        Check.apart(op, "out", out, "x", x);
    }

    /** An op with one input of any rank and an output of its shape, not in place. */
    static void map(Op<?> op, Queue queue, Tensor out, Tensor x) {
        sameShape(op, queue, out, x);
        Check.outFloats(op, "out", out);
        Check.apart(op, "out", out, "x", x);
    }

    static void castBf16(Queue queue, Tensor out, Tensor x) {
        Op<?> op = OpTable.CAST_BF16;
        sameShape(op, queue, out, x);
        Check.dtype(op, "out", out, DType.BF16);
        Check.apart(op, "out", out, "x", x);
    }

    /** Its input may be columns of a wider buffer. */
    static void castF32(Queue queue, Tensor out, Tensor x) {
        Op<?> op = OpTable.CAST_F32;
        Device device = Check.device(op, queue);
        Check.anyRank(op, "out", out, device, 0);
        Check.anyRankPadded(op, "x", x, device, 0);
        Check.dtype(op, "out", out, DType.F32);
        Check.floats(op, "x", x);
        Check.sameShape(op, "out", out, "x", x);
        Check.apart(op, "out", out, "x", x);
    }

    static void relu(Queue queue, Tensor out, Tensor x) {
        Op<?> op = OpTable.RELU;
        sameShape(op, queue, out, x);
        Check.outFloats(op, "out", out);
        Check.apartOrSame(op, "out", out, "x", x);
    }

    private static void sameShape(Op<?> op, Queue queue, Tensor out, Tensor x) {
        Device device = Check.device(op, queue);
        Check.anyRank(op, "out", out, device, 0);
        Check.anyRank(op, "x", x, device, 0);
        Check.floats(op, "x", x);
        Check.sameShape(op, "out", out, "x", x);
    }

    static void add(Queue queue, Tensor out, Tensor a, Tensor b) {
        Op<Binary> op = OpTable.ADD;
        Device device = Check.device(op, queue);
        Check.anyRank(op, "out", out, device, 1);
        Check.anyRank(op, "a", a, device, 1);
        Check.anyRank(op, "b", b, device, 1);
        Check.outFloats(op, "out", out);
        Check.floats(op, "a", a);
        Check.floats(op, "b", b);
        Check.sameShape(op, "out", out, "a", a);
        if (!b.sameShape(a) && !(b.rank() == 1 && b.dim(0) == a.lastDim())) {
            throw Faults.of(op, "b", "the shape of a, or rank 1 of a's last dimension, where a is " + a, "" + b);
        }
        Check.apartOrSame(op, "out", out, "a", a);
        Check.apart(op, "out", out, "b", b);
    }

    static void sigmoidGate(Queue queue, Tensor out, Tensor attn, Tensor gate) {
        Op<Binary> op = OpTable.SIGMOID_GATE_BF16;
        Device device = Check.device(op, queue);
        Check.anyRank(op, "out", out, device, 0);
        Check.anyRank(op, "attn", attn, device, 0);
        Check.anyRank(op, "gate", gate, device, 0);
        Check.dtype(op, "out", out, DType.BF16);
        Check.outFloats(op, "attn", attn);
        Check.dtype(op, "gate", gate, DType.F32);
        Check.sameShape(op, "attn", attn, "out", out);
        Check.sameShape(op, "gate", gate, "out", out);
        Check.apart(op, "out", out, "attn", attn);
        Check.apart(op, "out", out, "gate", gate);
    }

    static void mulColVec(Queue queue, Tensor x, Tensor col) {
        Op<MulColVecF32> op = OpTable.MUL_COL_VEC_F32;
        Device device = Check.device(op, queue);
        Check.dense(op, "x", x, device, 2);
        Check.dense(op, "col", col, device, 1);
        Check.dtype(op, "x", x, DType.F32);
        Check.dtype(op, "col", col, DType.F32);
        Check.dim(op, "col", col, 0, x.dim(1), "dimension 1 of x");
        Check.apart(op, "x", x, "col", col);
    }

    static void qkvSplit(Queue queue, Tensor q, Tensor k, Tensor v, Tensor qkv) {
        Op<QkvSplit> op = OpTable.QKV_SPLIT;
        Device device = Check.device(op, queue);
        Check.dense(op, "qkv", qkv, device, 2);
        Check.outFloats(op, "qkv", qkv);
        part(op, "q", q, qkv, device);
        part(op, "k", k, qkv, device);
        part(op, "v", v, qkv, device);
        Check.dim(op, "qkv", qkv, 1, q.dim(1) + k.dim(1) + v.dim(1), "the widths of q, k and v together");
        Check.apart(op, "q", q, "k", k);
        Check.apart(op, "q", q, "v", v);
        Check.apart(op, "k", k, "v", v);
    }

    private static void part(Op<QkvSplit> op, String argument, Tensor t, Tensor qkv, Device device) {
        Check.dense(op, argument, t, device, 2);
        Check.sameDtype(op, argument, t, "qkv", qkv);
        Check.dim(op, argument, t, 0, qkv.dim(0), "dimension 0 of qkv");
        Check.apart(op, argument, t, "qkv", qkv);
    }

    static void embedding(Queue queue, Tensor out, Tensor table, Tensor ids) {
        Op<?> op = OpTable.EMBEDDING;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.dense(op, "table", table, device, 2);
        Check.dense(op, "ids", ids, device, 1);
        Check.outFloats(op, "out", out);
        if (!table.dtype().isFloat() && !Check.encoded(table.dtype())) {
            throw Faults.dtype(op, "table", table, Check.FLOATS + ", or " + Check.ENCODED);
        }
        Check.ids(op, "ids", ids);
        Check.dim(op, "out", out, 0, ids.dim(0), "dimension 0 of ids");
        Check.dim(op, "out", out, 1, table.dim(1), "dimension 1 of table");
        Check.apart(op, "out", out, "table", table);
        Check.apart(op, "out", out, "ids", ids);
    }
}
