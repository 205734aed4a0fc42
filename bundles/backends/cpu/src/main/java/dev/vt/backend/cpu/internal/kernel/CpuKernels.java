package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.spi.KernelSet;
import dev.vt.ops.OpTable;

/** The list of the CPU's own kernels. They are stateless. */
public final class CpuKernels {
    private CpuKernels() {}

    /** One kernel for each op of the table. */
    public static KernelSet all() {
        MatmulBtKernel matmulBt = new MatmulBtKernel();
        return KernelSet.builder()
                .put(OpTable.RMS_NORM, new RmsNormKernel())
                .put(OpTable.EMBEDDING, new EmbeddingKernel())
                .put(OpTable.MATMUL_BT, matmulBt)
                .put(OpTable.MATMUL_BT_QUANT, matmulBt)
                .put(OpTable.ADD, new AddKernel())
                .build();
    }
}
