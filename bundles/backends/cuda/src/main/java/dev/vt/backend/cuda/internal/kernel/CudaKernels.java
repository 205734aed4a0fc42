package dev.vt.backend.cuda.internal.kernel;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.attention.AttentionKernels;
import dev.vt.backend.cuda.internal.kernel.cache.CacheKernels;
import dev.vt.backend.cuda.internal.kernel.element.ElementKernels;
import dev.vt.backend.cuda.internal.kernel.encode.EncodeKernels;
import dev.vt.backend.cuda.internal.kernel.mixture.MixtureKernels;
import dev.vt.backend.cuda.internal.kernel.move.MoveKernels;
import dev.vt.backend.cuda.internal.kernel.norm.NormKernels;
import dev.vt.backend.cuda.internal.kernel.product.ProductKernels;
import dev.vt.backend.cuda.internal.kernel.program.ProgramKernels;
import dev.vt.backend.cuda.internal.kernel.quant.QuantKernels;
import dev.vt.backend.cuda.internal.kernel.recurrent.RecurrentKernels;
import dev.vt.backend.cuda.internal.kernel.rope.RopeKernels;
import dev.vt.backend.cuda.internal.kernel.sampling.SamplingKernels;

/** The list of the CUDA backend's own kernels. They are stateless. */
public final class CudaKernels {
    private CudaKernels() {}

    /** The kernels of all families. */
    public static KernelSet all() {
        KernelSet.Builder kernels = KernelSet.builder();
        ElementKernels.put(kernels);
        NormKernels.put(kernels);
        EncodeKernels.put(kernels);
        ProgramKernels.put(kernels);
        MoveKernels.put(kernels);
        ProductKernels.put(kernels);
        QuantKernels.put(kernels);
        SamplingKernels.put(kernels);
        RopeKernels.put(kernels);
        CacheKernels.put(kernels);
        AttentionKernels.put(kernels);
        MixtureKernels.put(kernels);
        RecurrentKernels.put(kernels);
        return kernels.build();
    }
}
