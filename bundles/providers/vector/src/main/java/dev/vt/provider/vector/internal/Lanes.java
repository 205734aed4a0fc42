package dev.vt.provider.vector.internal;

import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** The widths of vector that the kernels use: floats in the widest registers, the rest with as many lanes. */
final class Lanes {
    static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;
    static final VectorSpecies<Integer> I = VectorSpecies.of(int.class, F.vectorShape());
    static final VectorSpecies<Short> S = VectorSpecies.of(short.class, VectorShape.forBitSize(F.vectorBitSize() / 2));

    /**
     * Bytes: at least 64 bits, the narrowest vector there is; with four float lanes one of these fills two vectors of
     * floats.
     */
    static final VectorSpecies<Byte> B =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, F.vectorBitSize() / 4)));

    /** Floats in a vector; a power of two. */
    static final int COUNT = F.length();

    /** Vectors of floats that one vector of bytes fills: 1 or 2. */
    static final int PARTS = B.length() / COUNT;

    /** Files and devices are little-endian. */
    static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private Lanes() {}

    /** Elements of a row once it is filled up with zeros to whole vectors. */
    static int padded(int n) {
        return (n + COUNT - 1) & -COUNT;
    }

    static {
        // All shapes below rely on it.
        assert I.length() == COUNT && S.length() == COUNT;
    }
}
