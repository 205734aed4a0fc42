package dev.vt.shell.internal;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.Arrays;

/**
 * A tensor of a kernel case, as bytes on the host.
 *
 * @param dtype element type
 * @param shape sizes
 * @param data what it holds before the call
 * @param output whether the call writes it
 */
record Operand(DType dtype, long[] shape, byte[] data, boolean output) {
    static Operand in(DType dtype, byte[] data, long... shape) {
        return new Operand(dtype, shape, data, false);
    }

    /** Written from end to end; what is there before is not zero, so that an element left out shows. */
    static Operand out(DType dtype, long... shape) {
        byte[] data = new byte[Math.toIntExact(Tensor.bytes(dtype, shape))];
        Arrays.fill(data, (byte) 0x5a);
        return new Operand(dtype, shape, data, true);
    }

    /** Read and written. */
    static Operand inOut(DType dtype, byte[] data, long... shape) {
        return new Operand(dtype, shape, data, true);
    }
}
