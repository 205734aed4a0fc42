package dev.vt.conformance.example;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Dispatcher;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.kernel.Unary;
import java.util.Arrays;

/** An op that is not of the table, {@code out[T,D] = x[T,D]^2}, and what its kernels are tested with. */
public final class SquareSpec {
    /** Ids from 512 to 1023 are free. */
    public static final Op<Unary> SQUARE = Op.of(600, "square", Unary.class);

    private SquareSpec() {}

    /** The entry point; one for others would check rank, shape, dtype and overlap here. */
    public static void square(Dispatcher dispatcher, Queue queue, Tensor out, Tensor x) {
        dispatcher.call(SQUARE, queue, kernel -> kernel.run(queue, out, x));
    }

    public static OpSpec spec() {
        return OpSpec.of(SQUARE, "TxD")
                .dtypes(DType.F32, DType.F16, DType.BF16)
                .quick("1x64", "3x33")
                .full("0x8", "4x0", "1x1", "2x255", "3x256", "2x257", "1x4099")
                .patterns(Pattern.NAN_MIDDLE, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO, Pattern.LARGE)
                .makes(SquareSpec::make);
    }

    private static void make(Draft d) {
        // Operands in the order of the call; the kit chooses where they lie and pads rows that may be padded.
        Operand out = d.out("out", d.stored(), d.dims()).mayPad();
        Operand x = d.data("x", d.dtype(), d.dims());
        // One product in f32 and one rounding on store, which the bound has in it.
        out.expect(
                () -> Expected.close(Arrays.stream(x.values()).map(v -> v * v).toArray(), 1));
        d.flops((double) d.dim(0) * d.dim(1));
        d.call((ops, queue, t) -> square(ops.dispatcher(), queue, t[0], t[1]));
    }
}
