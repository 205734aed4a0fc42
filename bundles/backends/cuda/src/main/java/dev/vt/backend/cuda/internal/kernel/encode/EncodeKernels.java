package dev.vt.backend.cuda.internal.kernel.encode;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.ops.OpTable;

/** The list of the kernels that make codes. */
public final class EncodeKernels {
    private EncodeKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        KernelModule source = Sources.of("encode.cu");
        GatedFp4QuantKernel silu = new GatedFp4QuantKernel(source, false);
        kernels.put(OpTable.SCALED_FP4_QUANT, new ScaledFp4QuantKernel(source))
                .put(OpTable.SILU_MUL_FP4_QUANT, silu)
                .put(OpTable.SILU_AND_MUL_FP4_QUANT, silu)
                .put(OpTable.SIGMOID_GATE_FP4_QUANT, new GatedFp4QuantKernel(source, true))
                .put(OpTable.QUANT_FP8_STATIC, new QuantFp8StaticKernel(source))
                .put(OpTable.SWIZZLE_BLOCKSCALE, new SwizzleBlockscaleKernel(source));
    }
}
