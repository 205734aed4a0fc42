package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.DropinProbe;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an adapter is checked with: {@code dropin_probe}. */
final class Probes {
    private static final int WITHOUT_SCALE = 1;
    private static final int PADDED = 2;
    private static final int OTHER_TYPES = 3;

    private Probes() {}

    static List<OpSpec> all() {
        return List.of(OpSpec.of(OpTable.DROPIN_PROBE, "TxH")
                .dtypes(Dtypes.FLOATS)
                .variants("", "no scale", "padded", "other types")
                .quick("1x64", "3x33")
                .full("0x8", "3x0", "1x1", "2x7", "5x1021")
                .makes(Probes::probe));
    }

    private static void probe(Draft d) {
        int t = d.dim(0);
        int h = d.dim(1);
        Operand out = d.out("out", DType.I64, DropinProbe.SLOTS);
        Operand x = d.data("x", d.dtype(), t, h);
        long rowStride = d.variant() == PADDED ? h + 5L : Math.max(1, h);
        if (d.variant() == PADDED) {
            x.strides(rowStride, 1);
        }
        boolean other = d.variant() == OTHER_TYPES;
        Operand ids =
                d.integers("ids", other ? DType.I64 : DType.I32, i -> d.random().nextInt(), t);
        Operand scale = d.variant() == WITHOUT_SCALE ? null : d.normal("scale", other ? d.otherStored() : d.dtype(), h);
        long integer = d.random().nextLong();
        double real = d.random().nextGaussian();
        boolean flag = d.random().nextBoolean();
        long[] report = new long[DropinProbe.SLOTS];
        report[0] = DropinProbe.VERSION;
        report[1] = integer;
        report[2] = Double.doubleToRawLongBits(real);
        report[3] = flag ? 1 : 0;
        describe(report, 0, x, rowStride, 1);
        describe(report, 1, ids, 1);
        describe(report, 2, scale, 1);
        out.expect(() -> Expected.integers(report));
        d.call((ops, q, a) -> ops.dropinProbe(q, a[0], a[1], a[2], a.length > 3 ? a[3] : null, integer, real, flag));
    }

    /** Present, label, rank, sizes from slot 3 on, strides from slot 7 on, first byte in slot 11. */
    private static void describe(long[] report, int index, @Nullable Operand o, long... strides) {
        if (o == null) {
            return;
        }
        int at = 4 + 12 * index;
        report[at] = 1;
        byte[] label = o.dtype().label().getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < label.length; i++) {
            report[at + 1] += (long) label[i] << 8 * i;
        }
        long[] shape = o.shape();
        report[at + 2] = shape.length;
        System.arraycopy(shape, 0, report, at + 3, shape.length);
        System.arraycopy(strides, 0, report, at + 7, shape.length);
        byte[] data = o.data();
        boolean empty = Arrays.stream(shape).anyMatch(n -> n == 0);
        report[at + 11] = data == null || empty ? -1 : data[0] & 0xff;
    }
}
