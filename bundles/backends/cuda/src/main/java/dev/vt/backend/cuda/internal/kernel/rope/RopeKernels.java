package dev.vt.backend.cuda.internal.kernel.rope;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.ops.OpTable;

/** The list of the kernels of rotary embeddings. */
public final class RopeKernels {
    private RopeKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        KernelModule source = Sources.of("rope.cu");
        kernels.put(OpTable.ROPE_NEOX, new RopeNeoxKernel(source))
                .put(OpTable.ROPE_COS_SIN_CACHE, new RopeCosSinCacheKernel(source))
                .put(OpTable.ROPE_FROM_CACHE, new RopeFromCacheKernel(source));
    }
}
