package dev.vt.backend.cpu.internal.kernel.block;

import dev.vt.api.tensor.DType;
import dev.vt.backend.cpu.BlockFormat;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The list of formats. Immutable. */
public final class BlockFormats {
    private static final Map<DType, BlockFormat> ALL = index(List.of(
            new Q4Zero(),
            new Q5Zero(),
            new Q8Zero(),
            new Q2K(),
            new Q3K(),
            new Q4K(),
            new Q5K(),
            new Q6K(),
            new Q8K(),
            new Iq4Nl(),
            new Mxfp4()));

    private BlockFormats() {}

    /** The format of a type, or null. */
    public static @Nullable BlockFormat get(DType dtype) {
        return ALL.get(dtype);
    }

    private static Map<DType, BlockFormat> index(List<BlockFormat> formats) {
        Map<DType, BlockFormat> map = new EnumMap<>(DType.class);
        formats.forEach(f -> map.put(f.dtype(), f));
        return map;
    }
}
