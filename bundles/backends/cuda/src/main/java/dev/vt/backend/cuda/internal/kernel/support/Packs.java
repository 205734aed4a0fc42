package dev.vt.backend.cuda.internal.kernel.support;

import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** When kernels may read and write several neighbouring elements at once. */
public final class Packs {
    /** What the longest access is aligned to. */
    private static final int BYTES = 16;

    /** Elements of the largest pack, so what a length must be a multiple of where packs may not go past the end of a row. */
    private static final int ELEMENTS = 8;

    private Packs() {}

    /** Whether a tensor, where there is one, begins where the longest access may. */
    public static boolean aligned(@Nullable Tensor t) {
        return t == null || (t.segment().address() + t.offset()) % BYTES == 0;
    }

    /** Whether so many elements are whole packs. */
    public static boolean whole(long elements) {
        return elements % ELEMENTS == 0;
    }

    /** Elements of a pack of which the wider type fills one access. */
    public static int of(Tensor in, Tensor out) {
        return BYTES / Math.max(in.dtype().blockBytes(), out.dtype().blockBytes());
    }
}
