package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** Lists of dtypes that several families use. */
final class Dtypes {
    /** What float inputs come in. */
    static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);

    /** What float outputs are stored in. */
    static final List<DType> STORED = List.of(DType.F32, DType.BF16);

    /** The encodings that weights come in. */
    static final List<DType> BLOCKS = Arrays.stream(DType.values())
            .filter(d -> d.isBlock() && d != DType.Q8_K)
            .toList();

    private Dtypes() {}
}
