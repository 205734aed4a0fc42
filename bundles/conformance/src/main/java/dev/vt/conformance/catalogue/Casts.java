package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** {@code cast_bf16} and {@code cast_f32}: one rounding or none, so all bits are known. */
final class Casts {
    private static final String[] FULL = {
        "0x8", "4x0", "1x1", "2x7", "3x255", "4x256", "3x257", "1x1021", "2x4096", "256x256"
    };
    private static final Pattern[] PATTERNS = {
        Pattern.NAN_MIDDLE,
        Pattern.NAN_FIRST,
        Pattern.NAN_LAST,
        Pattern.NAN_ALL,
        Pattern.NAN_AND_INFINITE,
        Pattern.DENORMAL,
        Pattern.ZERO,
        Pattern.LARGE
    };
    private static final int BIT_PATTERNS = 1;

    private Casts() {}

    static List<OpSpec> all() {
        return List.of(
                spec(OpSpec.of(OpTable.CAST_BF16, "TxD")).makes(d -> cast(d, DType.BF16)),
                spec(OpSpec.of(OpTable.CAST_F32, "TxD")).makes(d -> cast(d, DType.F32)));
    }

    private static OpSpec.Builder spec(OpSpec.Builder builder) {
        return builder.dtypes(Dtypes.FLOATS)
                .variants("", "bit patterns", "rank 1", "rank 3")
                .quickVariants(2)
                .except(Casts::wholeTwice)
                .quick("1x64", "3x33", "2x301")
                .full(FULL)
                .patterns(PATTERNS);
    }

    /** Bit patterns stand for themselves. */
    private static boolean wholeTwice(CasePlan plan) {
        return plan.variant() == BIT_PATTERNS && plan.pattern() != Pattern.NORMAL;
    }

    private static void cast(Draft d, DType to) {
        long n = (long) d.dim(0) * d.dim(1);
        long[] shape = switch (d.variant()) {
            case 2 -> new long[] {n};
            case 3 -> new long[] {d.dim(0), 1, d.dim(1)};
            default -> d.dims();
        };
        Operand out = d.out("out", to, shape);
        Operand x = d.variant() == BIT_PATTERNS
                ? d.bytes("x", d.dtype(), bits(d, (int) n), shape)
                : d.data("x", d.dtype(), shape);
        if (to == DType.F32) {
            x.mayPad();
        }
        out.expect(() -> Expected.exact(x.values()));
        boolean narrow = to == DType.BF16;
        d.call((ops, q, t) -> {
            if (narrow) {
                ops.castBf16(q, t[0], t[1]);
            } else {
                ops.castF32(q, t[0], t[1]);
            }
        });
    }

    /** All patterns of 16 bits once 65536 elements are there; of f32, those next to the middle of two bf16. */
    private static byte[] bits(Draft d, int n) {
        int[] tails = {0x8000, 0x7fff, 0x8001, 0, 1, 0xffff};
        int size = d.dtype().elementBytes();
        ByteBuffer out = ByteBuffer.allocate(size * n).order(ByteOrder.LITTLE_ENDIAN);
        int start = d.random().nextInt(1 << 16);
        for (int i = 0; i < n; i++) {
            // An odd factor: each pattern comes once before any comes again.
            int upper = (start + i * 40503) & 0xffff;
            if (size == 2) {
                out.putShort((short) upper);
            } else {
                out.putInt(upper << 16 | tails[i % tails.length]);
            }
        }
        return out.array();
    }
}
