package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.Matmul;

/** Contracts of the matrix products. */
final class MatmulChecks {
    private MatmulChecks() {}

    static void matmul(Queue queue, Tensor out, Tensor a, Tensor b) {
        Op<Matmul> op = OpTable.MATMUL;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.dense(op, "a", a, device, 2);
        Check.dense(op, "b", b, device, 2);
        Check.floats(op, "b", b);
        Check.dim(op, "b", b, 0, a.dim(1), "dimension 1 of a");
        Check.dim(op, "out", out, 1, b.dim(1), "dimension 1 of b");
        operands(op, out, a, b);
    }

    static void matmulBt(Queue queue, Tensor out, Tensor a, Tensor b) {
        Op<Matmul> op = OpTable.MATMUL_BT;
        transposed(op, queue, out, a, b);
        Check.floats(op, "b", b);
    }

    static void matmulBtQuant(Queue queue, Tensor out, Tensor a, Tensor b) {
        Op<Matmul> op = OpTable.MATMUL_BT_QUANT;
        transposed(op, queue, out, a, b);
        if (!Check.encoded(b.dtype())) {
            throw Faults.dtype(op, "b", b, Check.ENCODED);
        }
    }

    /** True when {@code matmul_bt} hands its call on to {@code matmul_bt_quant}. */
    static boolean quantized(Tensor b) {
        return b != null && b.dtype().isBlock();
    }

    private static void transposed(Op<Matmul> op, Queue queue, Tensor out, Tensor a, Tensor b) {
        Device device = Check.device(op, queue);
        Check.padded(op, "out", out, device, 2);
        Check.padded(op, "a", a, device, 2);
        Check.dense(op, "b", b, device, 2);
        Check.dim(op, "b", b, 1, a.dim(1), "dimension 1 of a");
        Check.dim(op, "out", out, 1, b.dim(0), "dimension 0 of b");
        operands(op, out, a, b);
    }

    private static void operands(Op<Matmul> op, Tensor out, Tensor a, Tensor b) {
        Check.outFloats(op, "out", out);
        Check.floats(op, "a", a);
        Check.dim(op, "out", out, 0, a.dim(0), "dimension 0 of a");
        Check.apart(op, "out", out, "a", a);
        Check.apart(op, "out", out, "b", b);
    }
}
