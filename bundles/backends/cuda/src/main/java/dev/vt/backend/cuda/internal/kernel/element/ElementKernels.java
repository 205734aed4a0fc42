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
        KernelModule source = Sources.of("elementwise.cu");
        MapKernel cast = new MapKernel(source, "cast");
        kernels.put(OpTable.SILU_AND_MUL, new GatedKernel(source, "silu_and_mul"))
                .put(OpTable.CAST_BF16, cast)
                .put(OpTable.CAST_F32, cast)
                .put(OpTable.RELU, new MapKernel(source, "relu"))
                .put(OpTable.ADD, new AddKernel(source))
                .put(OpTable.GELU_AND_MUL, new GatedKernel(source, "gelu_and_mul"))
                .put(OpTable.MUL_SCALAR, new MapKernel(source, "mul_scalar"))
                .put(OpTable.SOFT_CAP, new MapKernel(source, "soft_cap"));
    }
}
