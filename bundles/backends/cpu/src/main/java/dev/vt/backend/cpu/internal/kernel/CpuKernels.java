package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.spi.KernelSet;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Matmul;

/** The list of the CPU's own kernels. They are stateless. */
public final class CpuKernels {
    private CpuKernels() {}

    /** One kernel for each op of the table, in the order of the table. */
    public static KernelSet all() {
        Matmul matmulBt = new MatmulBtKernel();
        return KernelSet.builder()
                .put(OpTable.MATMUL, new MatmulKernel())
                .put(OpTable.RMS_NORM, new RmsNormKernel())
                .put(OpTable.SILU_AND_MUL, new GatedKernel(GatedKernel::silu))
                .put(OpTable.ROPE_NEOX, new RopeNeoxKernel())
                .put(OpTable.EMBEDDING, new EmbeddingKernel())
                .put(OpTable.CAUSAL_CONV1D_FWD, CausalConv1d::fwd)
                .put(OpTable.CAUSAL_CONV1D_UPDATE, CausalConv1d::update)
                .put(OpTable.GDN_PREFILL, DeltaRule::prefill)
                .put(OpTable.GDN_DECODE, DeltaRule::decode)
                .put(OpTable.GDN_PACKED_DECODE, DeltaRule::packedDecode)
                .put(OpTable.ATTENTION, new AttentionKernel())
                .put(OpTable.RESHAPE_AND_CACHE, new ReshapeAndCacheKernel())
                .put(OpTable.CONCAT_AND_CACHE_MLA, new ConcatAndCacheMlaKernel())
                .put(OpTable.MLA_DECODE_ATTENTION, new MlaDecodeAttentionKernel())
                .put(OpTable.MLA_PREFILL_ATTENTION, new MlaPrefillAttentionKernel())
                .put(OpTable.GATHER_MLA_CACHE, new GatherMlaCacheKernel())
                .put(OpTable.MERGE_ATTN_STATES, new MergeAttnStatesKernel())
                .put(OpTable.PAGED_ATTENTION, new PagedAttentionKernel())
                .put(OpTable.APPLY_TEMPERATURE, new ApplyTemperatureKernel())
                .put(OpTable.GREEDY_ARGMAX, new GreedyArgmaxKernel())
                .put(OpTable.APPLY_TOP_K_TOP_P, new ApplyTopKTopPKernel())
                .put(OpTable.COMPUTE_PROBS, new SoftmaxKernel(false))
                .put(OpTable.COMPUTE_LOGPROBS, new SoftmaxKernel(true))
                .put(OpTable.RANDOM_SAMPLE, new RandomSampleKernel())
                .put(OpTable.APPLY_PENALTIES, new ApplyPenaltiesKernel())
                .put(OpTable.APPLY_MIN_P, new ApplyMinPKernel())
                .put(OpTable.MATMUL_NVFP4, new MatmulNvfp4Kernel())
                .put(OpTable.SCALED_FP4_QUANT, Fp4QuantKernels.SCALED)
                .put(OpTable.SILU_MUL_FP4_QUANT, Fp4QuantKernels.SILU_MUL)
                .put(OpTable.SILU_AND_MUL_FP4_QUANT, Fp4QuantKernels.SILU_AND_MUL)
                .put(OpTable.SIGMOID_GATE_FP4_QUANT, Fp4QuantKernels.SIGMOID_GATE)
                .put(OpTable.MATMUL_NVFP4_FP4, new MatmulNvfp4Fp4Kernel())
                .put(OpTable.MATMUL_NVFP4_CUTLASS, MatmulNvfp4Fp4Kernel::swizzled)
                .put(OpTable.MATMUL_FP8_CUTLASS, new MatmulFp8Kernel())
                .put(OpTable.MATMUL_FP8_CUBLASLT, new MatmulFp8Kernel())
                .put(OpTable.QUANT_FP8_STATIC, new QuantFp8StaticKernel())
                .put(OpTable.SWIZZLE_BLOCKSCALE, new SwizzleBlockscaleKernel())
                .put(OpTable.MOE_GROUPED_GEMM_NVFP4, new MoeGroupedGemmNvfp4Kernel())
                .put(OpTable.CAST_BF16, Maps.CAST)
                .put(OpTable.CAST_F32, Maps.CAST)
                .put(OpTable.MUL_COL_VEC_F32, new MulColVecKernel())
                .put(OpTable.ATTN_GATE_SPLIT, new AttnGateSplitKernel())
                .put(OpTable.SIGMOID_GATE_BF16, new SigmoidGateKernel())
                .put(OpTable.GDN_G_BETA, new GdnGBetaKernel())
                .put(OpTable.GDN_CONV_SPLIT, new QkvSplitKernel())
                .put(OpTable.QKV_SPLIT, new QkvSplitKernel())
                .put(OpTable.MOE_GROUPED_GEMM_NVFP4_MARLIN, new MoeGroupedGemmNvfp4MarlinKernel())
                .put(OpTable.GDN_POST_CONV, new GdnPostConvKernel())
                .put(OpTable.ROPE_COS_SIN_CACHE, new RopeCosSinCacheKernel())
                .put(OpTable.ATTN_QK_NORM_ROPE_GATE, new AttnQkNormRopeGateKernel())
                .put(OpTable.FUSED_CHAIN, new FusedChainKernel())
                .put(OpTable.RMS_NORM_QUANT_FP8, new RmsNormQuantFp8Kernel())
                .put(OpTable.RMS_NORM_GATED_QUANT_FP8, new RmsNormGatedQuantFp8Kernel())
                .put(OpTable.MATMUL_BT, matmulBt)
                .put(OpTable.MATMUL_BT_QUANT, matmulBt)
                .put(OpTable.ROPE_FROM_CACHE, new RopeFromCacheKernel())
                .put(OpTable.GDN_STATE_GATHER, GdnStates::gather)
                .put(OpTable.GDN_STATE_SCATTER, GdnStates::scatter)
                .put(OpTable.LAYER_NORM, new LayerNormKernel())
                .put(OpTable.RELU, Maps.RELU)
                .put(OpTable.ADD, new AddKernel())
                .put(OpTable.BATCHED_MATMUL, new BatchedMatmulKernel())
                .put(OpTable.CONCAT_MLA_NOPE_ROPE, new ConcatMlaNopeRopeKernel())
                .put(OpTable.GELU_AND_MUL, new GatedKernel(GatedKernel::gelu))
                .put(OpTable.MUL_SCALAR, Maps.MUL_SCALAR)
                .put(OpTable.SOFT_CAP, Maps.SOFT_CAP)
                .build();
    }
}
