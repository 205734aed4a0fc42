package dev.vt.backend.cuda.internal.kernel.product;

import dev.vt.api.spi.KernelSet;
import dev.vt.ops.OpTable;

/** The list of the kernels of products of matrices. */
public final class ProductKernels {
    private ProductKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        Products products = new Products();
        MatmulKernel straight = new MatmulKernel(products, false);
        MatmulFp8Kernel fp8 = new MatmulFp8Kernel(products);
        kernels.put(OpTable.MATMUL, straight)
                .put(OpTable.MATMUL_FP8_CUTLASS, fp8)
                .put(OpTable.MATMUL_FP8_CUBLASLT, fp8)
                .put(OpTable.MATMUL_BT, new MatmulKernel(products, true))
                .put(OpTable.BATCHED_MATMUL, straight);
    }
}
