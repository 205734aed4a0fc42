package dev.vt.conformance.spec;

import dev.vt.api.device.Queue;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;

/** The entry point of an op with the operands of a case put in. */
@FunctionalInterface
public interface Call {
    /**
     * Makes the call.
     *
     * @param t the operands' tensors, in the order in which the operands were made
     */
    void on(Ops ops, Queue queue, Tensor[] t);
}
