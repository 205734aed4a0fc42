package dev.vt.backend.cuda.internal.kernel.cache;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.ops.OpTable;

/** The list of the kernels that move rows from and to paged caches. */
public final class CacheKernels {
    private CacheKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        KernelModule source = Sources.of("cache.cu");
        kernels.put(OpTable.RESHAPE_AND_CACHE, new ReshapeAndCacheKernel(source))
                .put(OpTable.CONCAT_AND_CACHE_MLA, new ConcatAndCacheMlaKernel(source))
                .put(OpTable.GATHER_MLA_CACHE, new GatherMlaCacheKernel(Sources.of("gather.cu")));
    }
}
