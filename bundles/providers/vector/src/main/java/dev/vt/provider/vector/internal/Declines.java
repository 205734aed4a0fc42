package dev.vt.provider.vector.internal;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/** Why the kernels of this provider decline. */
final class Declines {
    static final Outcome A_TYPE = Outcome.declined("a is not f32, f16 or bf16");
    static final Outcome B_TYPE = Outcome.declined("b is not f32, f16, bf16, q8_0, q4_0, q4_K or q6_K");
    static final Outcome OUT_TYPE = Outcome.declined("out is not f32 or bf16");
    static final Outcome STRIDED = Outcome.declined("the last dimension is not contiguous");
    static final Outcome LONG_ROW = Outcome.declined("K is above 16777216");

    /** The longest row of which some fit into a Java array. */
    static final long LONGEST = 1L << 24;

    private Declines() {}

    /** True when elements of a row follow each other. */
    static boolean dense(Tensor t) {
        return t.rank() == 2 && (t.dim(1) <= 1 || t.stride(1) == 1);
    }
}
