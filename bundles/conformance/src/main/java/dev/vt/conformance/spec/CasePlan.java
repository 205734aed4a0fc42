package dev.vt.conformance.spec;

import dev.vt.api.tensor.DType;
import java.util.Arrays;

/**
 * What a case will be, before its data is made: a full run has thousands of them.
 *
 * @param dims sizes
 * @param dtype the type that the case is about
 * @param variant number of the variant
 * @param pattern what stands out in the data
 * @param offset byte at which data starts
 * @param padded whether rows that may be padded are
 */
public record CasePlan(long[] dims, DType dtype, int variant, Pattern pattern, int offset, boolean padded) {
    public CasePlan {
        dims = dims.clone();
    }

    @Override
    public long[] dims() {
        return dims.clone();
    }

    /** The name of the case in reports; it tells everything that is special. */
    String label(OpSpec spec) {
        StringBuilder s = new StringBuilder(Sizes.text(dims)).append(' ').append(dtype);
        if (!spec.variants().get(variant).isEmpty()) {
            s.append(' ').append(spec.variants().get(variant));
        }
        if (pattern != Pattern.NORMAL) {
            s.append(' ').append(pattern.label());
        }
        if (offset != 0) {
            s.append(" offset ").append(offset);
        }
        return s.append(padded ? " padded" : "").toString();
    }

    /** The layout has no part in it: other places hold the same data. */
    long seed(OpSpec spec) {
        return Arrays.hashCode(dims) * 31L
                + spec.op().id() * 1009L
                + dtype.ordinal() * 17L
                + variant * 7L
                + pattern.ordinal() * 131L;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof CasePlan other
                && Arrays.equals(dims, other.dims)
                && dtype == other.dtype
                && variant == other.variant
                && pattern == other.pattern
                && offset == other.offset
                && padded == other.padded;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(dims) + 31 * dtype.ordinal() + variant;
    }
}
