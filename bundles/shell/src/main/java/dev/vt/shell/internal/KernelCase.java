package dev.vt.shell.internal;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;
import java.util.List;

/**
 * One call of an op with its data, which can be made on any device and kernel.
 *
 * @param op the op
 * @param label shapes and the like, as people type them
 * @param dtype the type that the case is about
 * @param operands in the order of the call
 * @param call makes the call
 * @param bytes what has to be read and written at least
 * @param flops floating-point operations, a multiplication and an addition counted as two
 */
record KernelCase(Op<?> op, String label, DType dtype, List<Operand> operands, Call call, long bytes, double flops) {
    /** The entry point with the operands put in. */
    @FunctionalInterface
    interface Call {
        void on(Ops ops, Queue queue, Tensor[] t);
    }

    static KernelCase of(Op<?> op, String label, DType dtype, List<Operand> operands, double flops, Call call) {
        long bytes = operands.stream().mapToLong(o -> o.data().length).sum();
        return new KernelCase(op, label, dtype, operands, call, bytes, flops);
    }

    /** The same with another number of bytes, where not all of an operand is touched. */
    KernelCase touching(long touched) {
        return new KernelCase(op, label, dtype, operands, call, touched, flops);
    }

    @Override
    public String toString() {
        return op + " " + label + " " + dtype;
    }
}
