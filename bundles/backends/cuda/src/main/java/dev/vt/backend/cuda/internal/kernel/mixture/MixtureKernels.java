package dev.vt.backend.cuda.internal.kernel.mixture;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.ops.OpTable;

/** The list of the kernels that choose experts and put together what they give. */
public final class MixtureKernels {
    private MixtureKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        ExpertSum sum = new ExpertSum(Sources.of("combine.cu"));
        kernels.put(OpTable.MOE_ROUTER_TOP_K, new MoeRouterTopKKernel(Sources.of("router.cu")));
        kernels.put(
                OpTable.MOE_COMBINE,
                (queue, out, expertOut, weights, shared) -> sum.run(queue, out, expertOut, weights, shared, null));
        kernels.put(OpTable.MOE_COMBINE_GATE, sum::run);
    }
}
