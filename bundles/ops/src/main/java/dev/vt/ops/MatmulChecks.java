package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.Matmul;

/** Contracts of the matrix products. */
final class MatmulChecks {
    private static final int MATRIX = 1 << 2 | Tensor.CONTIGUOUS;
    private static final int INPUT = MATRIX | Tensor.FLOAT;
    private static final int OUTPUT = MATRIX | Tensor.FLOAT_OUTPUT;

    private MatmulChecks() {}

    static void matmul(Queue queue, Tensor out, Tensor a, Tensor b) {
        if (queue == null
                || !plain(queue.device(), out, a, b, INPUT)
                || a.dim(1) != b.dim(0)
                || out.dim(1) != b.dim(1)) {
            carefully(queue, out, a, b);
        }
    }

    /** The common case in a dozen compares: contiguous matrices of one device, blocks of memory apart, M of one size. */
    private static boolean plain(Device device, Tensor out, Tensor a, Tensor b, int weight) {
        return Check.plain(out, device, OUTPUT)
                && Check.plain(a, device, INPUT)
                && Check.plain(b, device, weight)
                && out.dim(0) == a.dim(0)
                && Check.elsewhere(out, a)
                && Check.elsewhere(out, b);
    }

    private static void carefully(Queue queue, Tensor out, Tensor a, Tensor b) {
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
        if (!plainTransposed(queue, out, a, b, INPUT)) {
            Op<Matmul> op = OpTable.MATMUL_BT;
            transposed(op, queue, out, a, b);
            Check.floats(op, "b", b);
        }
    }

    static void matmulBtQuant(Queue queue, Tensor out, Tensor a, Tensor b) {
        if (!plainTransposed(queue, out, a, b, MATRIX | Tensor.BLOCK) || !Check.encoded(b.dtype())) {
            Op<Matmul> op = OpTable.MATMUL_BT_QUANT;
            transposed(op, queue, out, a, b);
            if (!Check.encoded(b.dtype())) {
                throw Faults.dtype(op, "b", b, Check.ENCODED);
            }
        }
    }

    private static boolean plainTransposed(Queue queue, Tensor out, Tensor a, Tensor b, int weight) {
        return queue != null
                && plain(queue.device(), out, a, b, weight)
                && a.dim(1) == b.dim(1)
                && out.dim(1) == b.dim(0);
    }

    /** True when {@code matmul_bt} hands its call on to {@code matmul_bt_quant}. */
    static boolean quantized(Tensor b) {
        return b != null && b.has(Tensor.BLOCK);
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

    static void batched(Queue queue, Tensor out, Tensor a, Tensor b) {
        Op<Matmul> op = OpTable.BATCHED_MATMUL;
        Device device = Check.device(op, queue);
        Check.stridedOutput(op, "out", out, device);
        Check.strided(op, "a", a, device);
        Check.strided(op, "b", b, device);
        Check.outFloats(op, "out", out);
        Check.outFloats(op, "a", a);
        Check.outFloats(op, "b", b);
        Check.dim(op, "a", a, 0, out.dim(0), "dimension 0 of out");
        Check.dim(op, "a", a, 1, out.dim(1), "dimension 1 of out");
        Check.dim(op, "b", b, 0, out.dim(0), "dimension 0 of out");
        Check.dim(op, "b", b, 1, a.dim(2), "dimension 2 of a");
        Check.dim(op, "b", b, 2, out.dim(2), "dimension 2 of out");
        Check.apart(op, "out", out, "a", a);
        Check.apart(op, "out", out, "b", b);
    }
}
