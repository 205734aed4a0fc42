package dev.vt.backend.cuda.internal.kernel.product;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.ops.OpTable;

/** The list of the kernels of products of matrices. */
public final class ProductKernels {
    private ProductKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        KernelModule source = Sources.of("matmul.cu");
        kernels.put(OpTable.MATMUL, new MatmulKernel(source, false))
                .put(OpTable.MATMUL_BT, new MatmulKernel(source, true));
    }
}
