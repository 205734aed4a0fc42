package dev.vt.backend.cuda.internal.kernel.quant;

import dev.vt.api.spi.KernelSet;
import dev.vt.ops.OpTable;

/** The list of the kernels of products with quantised weights. */
public final class QuantKernels {
    private QuantKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        kernels.put(OpTable.MATMUL_BT_QUANT, new MatmulBtQuantKernel());
    }
}
