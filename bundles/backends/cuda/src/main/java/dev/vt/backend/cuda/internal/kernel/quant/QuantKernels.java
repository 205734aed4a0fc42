package dev.vt.backend.cuda.internal.kernel.quant;

import dev.vt.api.spi.KernelSet;
import dev.vt.ops.OpTable;

/** The list of the kernels of products with quantised weights. */
public final class QuantKernels {
    private QuantKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        Fp4Products fp4 = new Fp4Products();
        ExpertProducts experts = new ExpertProducts();
        kernels.put(OpTable.MATMUL_NVFP4, fp4::weights)
                .put(
                        OpTable.MATMUL_NVFP4_FP4,
                        (queue, out, a, aScale, b, bScale, alpha) ->
                                fp4.both(queue, out, a, aScale, b, bScale, false, alpha, null))
                .put(
                        OpTable.MATMUL_NVFP4_CUTLASS,
                        (queue, out, a, aScale, b, bScale, alpha, deviceAlpha) ->
                                fp4.both(queue, out, a, aScale, b, bScale, true, alpha, deviceAlpha))
                .put(OpTable.MOE_GROUPED_GEMM_NVFP4, experts::nvfp4)
                .put(OpTable.MOE_GROUPED_GEMM_NVFP4_MARLIN, new MoeGroupedGemmNvfp4MarlinKernel())
                .put(OpTable.MATMUL_BT_QUANT, new MatmulBtQuantKernel())
                .put(OpTable.MOE_GROUPED_GEMM_BF16, experts::bf16);
    }
}
