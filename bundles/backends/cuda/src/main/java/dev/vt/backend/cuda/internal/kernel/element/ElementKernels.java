package dev.vt.backend.cuda.internal.kernel.element;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.ops.OpTable;

/** The list of the kernels on elements. */
public final class ElementKernels {
    private ElementKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        KernelModule map = Sources.of("map.cu");
        KernelModule pair = Sources.of("pair.cu");
        KernelModule gated = Sources.of("gated.cu");
        MapKernel cast = new MapKernel(map, "cast");
        kernels.put(OpTable.SILU_AND_MUL, new GatedKernel(gated, "silu_and_mul"))
                .put(OpTable.MOE_SILU_MUL, new SiluMulKernel(pair))
                .put(OpTable.CAST_BF16, cast)
                .put(OpTable.CAST_F32, cast)
                .put(OpTable.MUL_COL_VEC_F32, new MulColVecKernel(pair))
                .put(OpTable.SHARED_EXPERT_GATE, new SharedExpertGateKernel(pair))
                .put(OpTable.RELU, new MapKernel(map, "relu"))
                .put(OpTable.ADD, new AddKernel(pair))
                .put(OpTable.GELU_AND_MUL, new GatedKernel(gated, "gelu_and_mul"))
                .put(OpTable.MUL_SCALAR, new MapKernel(map, "mul_scalar"))
                .put(OpTable.SOFT_CAP, new MapKernel(map, "soft_cap"));
    }
}
