package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.ops.OpTable;

/** The list of the kernels that choose tokens. */
public final class SamplingKernels {
    private SamplingKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        kernels.put(OpTable.GREEDY_ARGMAX, new GreedyArgmaxKernel(Sources.of("argmax.cu")));
    }
}
