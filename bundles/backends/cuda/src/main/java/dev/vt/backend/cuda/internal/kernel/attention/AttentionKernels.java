package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.api.spi.KernelSet;
import dev.vt.ops.OpTable;

/** The list of the kernels of attention. */
public final class AttentionKernels {
    private AttentionKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        kernels.put(OpTable.PAGED_ATTENTION, new PagedAttentionKernel());
    }
}
