package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code dropin_probe}: writes down what it was given, so that an adapter between two calling conventions can be checked
 * argument by argument. It computes nothing. out[{@value #SLOTS}] (i64):
 *
 * <ul>
 *   <li>0: {@value #VERSION}, the version of this layout; 1: integer; 2: the bits of real as a double; 3: flag, 0 or 1
 *   <li>{@value #FIRST_TENSOR} + {@value #TENSOR_SLOTS} * i, for x, ids and scale as i = 0, 1, 2: 0 when the tensor is absent, and then
 *       zeros; else 1, its dtype as {@link #code}, its rank, four sizes and four strides in elements (0 beyond the rank), and the
 *       first byte of its data from 0 to 255, or -1 when it has no element
 * </ul>
 */
@FunctionalInterface
public interface DropinProbe {
    /** Elements of out. */
    int SLOTS = 40;

    /** What the first element of out is. */
    long VERSION = 1;

    /** Where the first tensor's elements start. */
    int FIRST_TENSOR = 4;

    /** Elements for each tensor. */
    int TENSOR_SLOTS = 12;

    Outcome run(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor ids,
            @Nullable Tensor scale,
            long integer,
            double real,
            boolean flag);

    /** A dtype as a number that never changes: the characters of its label, the first in the lowest byte. */
    static long code(DType dtype) {
        String label = dtype.label();
        long code = 0;
        for (int i = Math.min(label.length(), Long.BYTES) - 1; i >= 0; i--) {
            code = code << Byte.SIZE | label.charAt(i);
        }
        return code;
    }
}
