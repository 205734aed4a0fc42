package dev.vt.backend.cuda.internal.kernel;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.ops.OpTable;

/** The list of the CUDA backend's own kernels. They are stateless. */
public final class CudaKernels {
    private CudaKernels() {}

    /** A file of kernels that lies beside this class. */
    public static KernelModule module(String file) {
        return new KernelModule(CudaKernels.class, file);
    }

    /** The kernels, in the order of the table. */
    public static KernelSet all() {
        KernelModule elementwise = module("elementwise.cu");
        KernelModule norm = module("norm.cu");
        KernelModule move = module("move.cu");
        KernelModule matmul = module("matmul.cu");
        MapKernel cast = new MapKernel(elementwise, "cast");
        return KernelSet.builder()
                .put(OpTable.MATMUL, new MatmulKernel(matmul, false))
                .put(OpTable.RMS_NORM, new RmsNormKernel(norm))
                .put(OpTable.SILU_AND_MUL, new GatedKernel(elementwise, "silu_and_mul"))
                .put(OpTable.EMBEDDING, new EmbeddingKernel(move))
                .put(OpTable.GREEDY_ARGMAX, new GreedyArgmaxKernel(module("argmax.cu")))
                .put(OpTable.CAST_BF16, cast)
                .put(OpTable.CAST_F32, cast)
                .put(OpTable.QKV_SPLIT, new QkvSplitKernel(move))
                .put(OpTable.MATMUL_BT, new MatmulKernel(matmul, true))
                .put(OpTable.LAYER_NORM, new LayerNormKernel(norm))
                .put(OpTable.RELU, new MapKernel(elementwise, "relu"))
                .put(OpTable.ADD, new AddKernel(elementwise))
                .put(OpTable.GELU_AND_MUL, new GatedKernel(elementwise, "gelu_and_mul"))
                .put(OpTable.MUL_SCALAR, new MapKernel(elementwise, "mul_scalar"))
                .put(OpTable.SOFT_CAP, new MapKernel(elementwise, "soft_cap"))
                .build();
    }
}
