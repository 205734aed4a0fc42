package dev.vt.backend.cuda.internal.kernel.norm;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.ops.OpTable;

/** The list of the kernels of normalisations. */
public final class NormKernels {
    private NormKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        KernelModule source = Sources.of("norm.cu");
        kernels.put(OpTable.RMS_NORM, new RmsNormKernel(source)).put(OpTable.LAYER_NORM, new LayerNormKernel(source));
    }
}
