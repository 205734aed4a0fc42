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
        KernelModule gated = Sources.of("rms_norm_gated.cu");
        KernelModule quant = Sources.of("rms_norm_quant.cu");
        kernels.put(OpTable.RMS_NORM, new RmsNormKernel(Sources.of("rms_norm.cu"), Sources.of("rms_norm_add.cu")))
                .put(OpTable.L2_NORM, new L2NormKernel(gated))
                .put(OpTable.RMS_NORM_GATED, new RmsNormGatedKernel(gated))
                .put(OpTable.RMS_NORM_QUANT_FP8, new RmsNormQuantFp8Kernel(quant))
                .put(OpTable.RMS_NORM_GATED_QUANT_FP8, new RmsNormGatedQuantFp8Kernel(quant))
                .put(OpTable.LAYER_NORM, new LayerNormKernel(Sources.of("layer_norm.cu")));
    }
}
