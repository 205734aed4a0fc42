package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.ops.OpTable;

/** The list of the kernels that choose tokens. */
public final class SamplingKernels {
    private SamplingKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        KernelModule logits = Sources.of("logits.cu");
        KernelModule softmax = Sources.of("softmax.cu");
        KernelModule places = Sources.of("places.cu");
        kernels.put(OpTable.APPLY_TEMPERATURE, new ApplyTemperatureKernel(logits));
        kernels.put(OpTable.GREEDY_ARGMAX, new GreedyArgmaxKernel(Sources.of("argmax.cu")));
        kernels.put(OpTable.APPLY_TOP_K_TOP_P, new ApplyTopKTopPKernel(Sources.of("truncate.cu")));
        kernels.put(OpTable.COMPUTE_PROBS, new SoftmaxKernel(softmax, false));
        kernels.put(OpTable.COMPUTE_LOGPROBS, new SoftmaxKernel(softmax, true));
        kernels.put(OpTable.RANDOM_SAMPLE, new RandomSampleKernel(Sources.of("draw.cu")));
        kernels.put(OpTable.APPLY_PENALTIES, new ApplyPenaltiesKernel(logits));
        kernels.put(OpTable.APPLY_MIN_P, new ApplyMinPKernel(logits));
        kernels.put(OpTable.APPLY_LOGIT_BIAS, new ApplyLogitBiasKernel(places));
        kernels.put(OpTable.APPLY_TOKEN_MASK, new ApplyTokenMaskKernel(places));
        kernels.put(OpTable.APPLY_ALLOWED_TOKEN_IDS, new ApplyAllowedTokenIdsKernel(logits));
        kernels.put(OpTable.GREEDY_REJECTION_SAMPLE, new GreedyRejectionSampleKernel(Sources.of("rejection.cu")));
    }
}
