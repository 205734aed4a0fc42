package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;

/** The kernels of a query row for one type of cache: by the size of a head, for one head or for several at once. Immutable. */
final class RowFunctions {
    /** Heads that a block of threads takes at once. */
    static final int GROUP = 4;

    /** The longest head. */
    static final int MOST = 256;

    private static final int[] SIZES = {64, 128, MOST};

    private final KernelFunction[] single = new KernelFunction[SIZES.length];
    private final KernelFunction[] group = new KernelFunction[SIZES.length];
    private final KernelFunction anySingle;
    private final KernelFunction anyGroup;

    RowFunctions(String type) {
        KernelModule module = Sources.of("paged_rows_" + type + ".cu");
        for (int i = 0; i < SIZES.length; i++) {
            single[i] = module.function("paged_" + SIZES[i] + "_1");
            group[i] = module.function("paged_" + SIZES[i] + "_" + GROUP);
        }
        anySingle = module.function("paged_any_1");
        anyGroup = module.function("paged_any_" + GROUP);
    }

    /** The one for heads of so many elements, read 16 bytes at a time or one by one. */
    KernelFunction of(long dim, boolean wide, boolean several) {
        if (!wide) {
            return several ? anyGroup : anySingle;
        }
        int i = 0;
        while (SIZES[i] < dim) {
            i++;
        }
        return (several ? group : single)[i];
    }
}
