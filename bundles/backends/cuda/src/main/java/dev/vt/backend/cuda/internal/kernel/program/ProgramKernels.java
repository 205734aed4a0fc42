package dev.vt.backend.cuda.internal.kernel.program;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.ops.OpTable;

/** The list of the kernels whose steps or reports are data. */
public final class ProgramKernels {
    private ProgramKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        kernels.put(OpTable.FUSED_CHAIN, new FusedChainKernel(Sources.of("chain.cu")))
                .put(OpTable.DROPIN_PROBE, new DropinProbeKernel(Sources.of("probe.cu")));
    }
}
