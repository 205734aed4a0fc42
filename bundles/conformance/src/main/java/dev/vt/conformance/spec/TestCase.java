package dev.vt.conformance.spec;

import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of an op with its data and what must come out.
 *
 * @param op the op
 * @param sizes the sizes alone, such as 3x256x40
 * @param label sizes, dtype and what is special, as reports show it
 * @param dtype the type that the case is about
 * @param operands in the order of the call's tensors
 * @param call makes the call
 * @param offset byte at which data starts, behind an address that is a multiple of 64
 * @param padded whether the rows of operands that may be padded are
 * @param fault what the error must say, for a call whose data is wrong; null for a good call
 * @param bytes what has to be read and written at least
 * @param flops floating-point operations, a multiplication and an addition counted as two
 */
public record TestCase(
        Op<?> op,
        String sizes,
        String label,
        DType dtype,
        List<Operand> operands,
        Call call,
        int offset,
        boolean padded,
        @Nullable String fault,
        long bytes,
        double flops) {
    @Override
    public String toString() {
        return op + " " + label;
    }
}
