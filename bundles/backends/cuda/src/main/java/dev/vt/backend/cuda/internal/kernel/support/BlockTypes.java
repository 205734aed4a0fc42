package dev.vt.backend.cuda.internal.kernel.support;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the kernels know of the block encodings of weights. No state, any thread. */
public final class BlockTypes {
    /** Those that weights may have. */
    public static final List<DType> ALL = List.of(
            DType.Q4_0,
            DType.Q5_0,
            DType.Q8_0,
            DType.Q2_K,
            DType.Q3_K,
            DType.Q4_K,
            DType.Q5_K,
            DType.Q6_K,
            DType.IQ4_NL,
            DType.MXFP4);

    private BlockTypes() {}

    /** How names in the sources have it. */
    public static String name(DType type) {
        return type.label().toLowerCase(Locale.ROOT);
    }

    /** Null when a contiguous tensor in a block encoding can be read, else why not. */
    public static @Nullable Outcome decline(Tensor t) {
        if (!t.contiguous()) {
            return Declines.NOT_CONTIGUOUS;
        }
        long address = t.segment().address() + t.offset();
        return address % alignment(t.dtype()) == 0 ? null : Declines.MISALIGNED;
    }

    /** Bytes that the start of a block is a multiple of, where the tensor's is: those of its largest field that is read at once. */
    private static int alignment(DType type) {
        return switch (type) {
            case MXFP4 -> 1;
            case Q2_K, Q4_K, Q5_K -> 4;
            default -> 2;
        };
    }
}
