package dev.vt.ops;

import dev.vt.api.VtException;
import dev.vt.api.op.Op;
import dev.vt.ops.kernel.ApplyAllowedTokenIds;
import dev.vt.ops.kernel.ApplyLogitBias;
import dev.vt.ops.kernel.ApplyMinP;
import dev.vt.ops.kernel.ApplyPenalties;
import dev.vt.ops.kernel.ApplyTemperature;
import dev.vt.ops.kernel.ApplyTokenMask;
import dev.vt.ops.kernel.ApplyTopKTopP;
import dev.vt.ops.kernel.Attention;
import dev.vt.ops.kernel.AttnGateSplit;
import dev.vt.ops.kernel.AttnQkNormRopeGate;
import dev.vt.ops.kernel.Binary;
import dev.vt.ops.kernel.BinaryFp4Quant;
import dev.vt.ops.kernel.CausalConv1dFwd;
import dev.vt.ops.kernel.CausalConv1dUpdate;
import dev.vt.ops.kernel.ConcatAndCacheMla;
import dev.vt.ops.kernel.ConcatMlaNopeRope;
import dev.vt.ops.kernel.DropinProbe;
import dev.vt.ops.kernel.Embedding;
import dev.vt.ops.kernel.FusedChain;
import dev.vt.ops.kernel.GatherMlaCache;
import dev.vt.ops.kernel.GdnDecode;
import dev.vt.ops.kernel.GdnGBeta;
import dev.vt.ops.kernel.GdnPackedDecode;
import dev.vt.ops.kernel.GdnPostConv;
import dev.vt.ops.kernel.GdnPrefill;
import dev.vt.ops.kernel.GdnStateGather;
import dev.vt.ops.kernel.GdnStateScatter;
import dev.vt.ops.kernel.GreedyArgmax;
import dev.vt.ops.kernel.GreedyRejectionSample;
import dev.vt.ops.kernel.L2Norm;
import dev.vt.ops.kernel.LayerNorm;
import dev.vt.ops.kernel.Matmul;
import dev.vt.ops.kernel.MatmulFp8;
import dev.vt.ops.kernel.MatmulNvfp4;
import dev.vt.ops.kernel.MatmulNvfp4Cutlass;
import dev.vt.ops.kernel.MatmulNvfp4Fp4;
import dev.vt.ops.kernel.MergeAttnStates;
import dev.vt.ops.kernel.MlaDecodeAttention;
import dev.vt.ops.kernel.MlaPrefillAttention;
import dev.vt.ops.kernel.MoeCombine;
import dev.vt.ops.kernel.MoeCombineGate;
import dev.vt.ops.kernel.MoeGroupedGemmBf16;
import dev.vt.ops.kernel.MoeGroupedGemmNvfp4;
import dev.vt.ops.kernel.MoeGroupedGemmNvfp4Marlin;
import dev.vt.ops.kernel.MoeRouterTopK;
import dev.vt.ops.kernel.MulColVecF32;
import dev.vt.ops.kernel.PagedAttention;
import dev.vt.ops.kernel.QkvSplit;
import dev.vt.ops.kernel.QuantFp8Static;
import dev.vt.ops.kernel.RandomSample;
import dev.vt.ops.kernel.ReshapeAndCache;
import dev.vt.ops.kernel.RmsNorm;
import dev.vt.ops.kernel.RmsNormGated;
import dev.vt.ops.kernel.RmsNormGatedQuantFp8;
import dev.vt.ops.kernel.RmsNormQuantFp8;
import dev.vt.ops.kernel.RopeCosSinCache;
import dev.vt.ops.kernel.RopeFromCache;
import dev.vt.ops.kernel.RopeNeox;
import dev.vt.ops.kernel.Unary;
import dev.vt.ops.kernel.UnaryFp4Quant;
import dev.vt.ops.kernel.UnaryScalar;
import java.util.List;
import java.util.Optional;

/** Every op of the catalogue. The numbers are stable: an id is never given to another op. */
public final class OpTable {
    public static final Op<Matmul> MATMUL = Op.of(0, "matmul", Matmul.class);
    public static final Op<RmsNorm> RMS_NORM = Op.of(1, "rms_norm", RmsNorm.class);
    public static final Op<Unary> SILU_AND_MUL = Op.of(2, "silu_and_mul", Unary.class);
    public static final Op<RopeNeox> ROPE_NEOX = Op.of(3, "rope_neox", RopeNeox.class);
    public static final Op<Embedding> EMBEDDING = Op.of(4, "embedding", Embedding.class);
    public static final Op<CausalConv1dFwd> CAUSAL_CONV1D_FWD = Op.of(5, "causal_conv1d_fwd", CausalConv1dFwd.class);
    public static final Op<CausalConv1dUpdate> CAUSAL_CONV1D_UPDATE =
            Op.of(6, "causal_conv1d_update", CausalConv1dUpdate.class);
    public static final Op<L2Norm> L2_NORM = Op.of(7, "l2_norm", L2Norm.class);
    public static final Op<RmsNormGated> RMS_NORM_GATED = Op.of(8, "rms_norm_gated", RmsNormGated.class);
    public static final Op<GdnPrefill> GDN_PREFILL = Op.of(9, "gdn_prefill", GdnPrefill.class);
    public static final Op<GdnDecode> GDN_DECODE = Op.of(10, "gdn_decode", GdnDecode.class);
    public static final Op<GdnPackedDecode> GDN_PACKED_DECODE = Op.of(11, "gdn_packed_decode", GdnPackedDecode.class);
    public static final Op<MoeRouterTopK> MOE_ROUTER_TOP_K = Op.of(12, "moe_router_top_k", MoeRouterTopK.class);
    public static final Op<MoeCombine> MOE_COMBINE = Op.of(13, "moe_combine", MoeCombine.class);
    public static final Op<Attention> ATTENTION = Op.of(14, "attention", Attention.class);
    public static final Op<ReshapeAndCache> RESHAPE_AND_CACHE = Op.of(15, "reshape_and_cache", ReshapeAndCache.class);
    public static final Op<ConcatAndCacheMla> CONCAT_AND_CACHE_MLA =
            Op.of(16, "concat_and_cache_mla", ConcatAndCacheMla.class);
    public static final Op<MlaDecodeAttention> MLA_DECODE_ATTENTION =
            Op.of(17, "mla_decode_attention", MlaDecodeAttention.class);
    public static final Op<MlaPrefillAttention> MLA_PREFILL_ATTENTION =
            Op.of(18, "mla_prefill_attention", MlaPrefillAttention.class);
    public static final Op<GatherMlaCache> GATHER_MLA_CACHE = Op.of(19, "gather_mla_cache", GatherMlaCache.class);
    public static final Op<MergeAttnStates> MERGE_ATTN_STATES = Op.of(20, "merge_attn_states", MergeAttnStates.class);
    public static final Op<PagedAttention> PAGED_ATTENTION = Op.of(21, "paged_attention", PagedAttention.class);
    public static final Op<ApplyTemperature> APPLY_TEMPERATURE = Op.of(22, "apply_temperature", ApplyTemperature.class);
    public static final Op<GreedyArgmax> GREEDY_ARGMAX = Op.of(23, "greedy_argmax", GreedyArgmax.class);
    public static final Op<ApplyTopKTopP> APPLY_TOP_K_TOP_P = Op.of(24, "apply_top_k_top_p", ApplyTopKTopP.class);
    public static final Op<Unary> COMPUTE_PROBS = Op.of(25, "compute_probs", Unary.class);
    public static final Op<Unary> COMPUTE_LOGPROBS = Op.of(26, "compute_logprobs", Unary.class);
    public static final Op<RandomSample> RANDOM_SAMPLE = Op.of(27, "random_sample", RandomSample.class);
    public static final Op<ApplyPenalties> APPLY_PENALTIES = Op.of(28, "apply_penalties", ApplyPenalties.class);
    public static final Op<ApplyMinP> APPLY_MIN_P = Op.of(29, "apply_min_p", ApplyMinP.class);
    public static final Op<ApplyLogitBias> APPLY_LOGIT_BIAS = Op.of(30, "apply_logit_bias", ApplyLogitBias.class);
    public static final Op<ApplyTokenMask> APPLY_TOKEN_MASK = Op.of(31, "apply_token_mask", ApplyTokenMask.class);
    public static final Op<ApplyAllowedTokenIds> APPLY_ALLOWED_TOKEN_IDS =
            Op.of(32, "apply_allowed_token_ids", ApplyAllowedTokenIds.class);
    public static final Op<MatmulNvfp4> MATMUL_NVFP4 = Op.of(33, "matmul_nvfp4", MatmulNvfp4.class);
    public static final Op<UnaryFp4Quant> SCALED_FP4_QUANT = Op.of(34, "scaled_fp4_quant", UnaryFp4Quant.class);
    public static final Op<BinaryFp4Quant> SILU_MUL_FP4_QUANT = Op.of(35, "silu_mul_fp4_quant", BinaryFp4Quant.class);
    public static final Op<UnaryFp4Quant> SILU_AND_MUL_FP4_QUANT =
            Op.of(36, "silu_and_mul_fp4_quant", UnaryFp4Quant.class);
    public static final Op<BinaryFp4Quant> SIGMOID_GATE_FP4_QUANT =
            Op.of(37, "sigmoid_gate_fp4_quant", BinaryFp4Quant.class);
    public static final Op<MatmulNvfp4Fp4> MATMUL_NVFP4_FP4 = Op.of(38, "matmul_nvfp4_fp4", MatmulNvfp4Fp4.class);
    public static final Op<MatmulNvfp4Cutlass> MATMUL_NVFP4_CUTLASS =
            Op.of(39, "matmul_nvfp4_cutlass", MatmulNvfp4Cutlass.class);
    public static final Op<MatmulFp8> MATMUL_FP8_CUTLASS = Op.of(40, "matmul_fp8_cutlass", MatmulFp8.class);
    public static final Op<MatmulFp8> MATMUL_FP8_CUBLASLT = Op.of(41, "matmul_fp8_cublaslt", MatmulFp8.class);
    public static final Op<QuantFp8Static> QUANT_FP8_STATIC = Op.of(42, "quant_fp8_static", QuantFp8Static.class);
    public static final Op<Unary> SWIZZLE_BLOCKSCALE = Op.of(43, "swizzle_blockscale", Unary.class);
    public static final Op<MoeGroupedGemmNvfp4> MOE_GROUPED_GEMM_NVFP4 =
            Op.of(44, "moe_grouped_gemm_nvfp4", MoeGroupedGemmNvfp4.class);
    public static final Op<Binary> MOE_SILU_MUL = Op.of(45, "moe_silu_mul", Binary.class);
    public static final Op<Unary> CAST_BF16 = Op.of(46, "cast_bf16", Unary.class);
    public static final Op<Unary> CAST_F32 = Op.of(47, "cast_f32", Unary.class);
    public static final Op<MulColVecF32> MUL_COL_VEC_F32 = Op.of(48, "mul_col_vec_f32", MulColVecF32.class);
    public static final Op<AttnGateSplit> ATTN_GATE_SPLIT = Op.of(49, "attn_gate_split", AttnGateSplit.class);
    public static final Op<Binary> SIGMOID_GATE_BF16 = Op.of(50, "sigmoid_gate_bf16", Binary.class);
    public static final Op<GdnGBeta> GDN_G_BETA = Op.of(51, "gdn_g_beta", GdnGBeta.class);
    public static final Op<QkvSplit> GDN_CONV_SPLIT = Op.of(52, "gdn_conv_split", QkvSplit.class);
    public static final Op<QkvSplit> QKV_SPLIT = Op.of(53, "qkv_split", QkvSplit.class);
    public static final Op<Binary> SHARED_EXPERT_GATE = Op.of(54, "shared_expert_gate", Binary.class);
    public static final Op<MoeCombineGate> MOE_COMBINE_GATE = Op.of(55, "moe_combine_gate", MoeCombineGate.class);
    public static final Op<MoeGroupedGemmNvfp4Marlin> MOE_GROUPED_GEMM_NVFP4_MARLIN =
            Op.of(56, "moe_grouped_gemm_nvfp4_marlin", MoeGroupedGemmNvfp4Marlin.class);
    public static final Op<GdnPostConv> GDN_POST_CONV = Op.of(57, "gdn_post_conv", GdnPostConv.class);
    public static final Op<RopeCosSinCache> ROPE_COS_SIN_CACHE = Op.of(58, "rope_cos_sin_cache", RopeCosSinCache.class);
    public static final Op<AttnQkNormRopeGate> ATTN_QK_NORM_ROPE_GATE =
            Op.of(59, "attn_qk_norm_rope_gate", AttnQkNormRopeGate.class);
    public static final Op<FusedChain> FUSED_CHAIN = Op.of(60, "fused_chain", FusedChain.class);
    public static final Op<RmsNormQuantFp8> RMS_NORM_QUANT_FP8 = Op.of(61, "rms_norm_quant_fp8", RmsNormQuantFp8.class);
    public static final Op<RmsNormGatedQuantFp8> RMS_NORM_GATED_QUANT_FP8 =
            Op.of(62, "rms_norm_gated_quant_fp8", RmsNormGatedQuantFp8.class);
    public static final Op<Matmul> MATMUL_BT = Op.of(63, "matmul_bt", Matmul.class);
    public static final Op<Matmul> MATMUL_BT_QUANT = Op.of(64, "matmul_bt_quant", Matmul.class);
    public static final Op<DropinProbe> DROPIN_PROBE = Op.of(65, "dropin_probe", DropinProbe.class);
    public static final Op<RopeFromCache> ROPE_FROM_CACHE = Op.of(66, "rope_from_cache", RopeFromCache.class);
    public static final Op<GdnStateGather> GDN_STATE_GATHER = Op.of(67, "gdn_state_gather", GdnStateGather.class);
    public static final Op<GdnStateScatter> GDN_STATE_SCATTER = Op.of(68, "gdn_state_scatter", GdnStateScatter.class);
    public static final Op<MoeGroupedGemmBf16> MOE_GROUPED_GEMM_BF16 =
            Op.of(69, "moe_grouped_gemm_bf16", MoeGroupedGemmBf16.class);
    public static final Op<LayerNorm> LAYER_NORM = Op.of(70, "layer_norm", LayerNorm.class);
    public static final Op<Unary> RELU = Op.of(71, "relu", Unary.class);
    public static final Op<Binary> ADD = Op.of(72, "add", Binary.class);
    public static final Op<Matmul> BATCHED_MATMUL = Op.of(73, "batched_matmul", Matmul.class);
    public static final Op<ConcatMlaNopeRope> CONCAT_MLA_NOPE_ROPE =
            Op.of(74, "concat_mla_nope_rope", ConcatMlaNopeRope.class);
    public static final Op<Unary> GELU_AND_MUL = Op.of(75, "gelu_and_mul", Unary.class);
    public static final Op<UnaryScalar> MUL_SCALAR = Op.of(76, "mul_scalar", UnaryScalar.class);
    public static final Op<UnaryScalar> SOFT_CAP = Op.of(77, "soft_cap", UnaryScalar.class);
    public static final Op<GreedyRejectionSample> GREEDY_REJECTION_SAMPLE =
            Op.of(78, "greedy_rejection_sample", GreedyRejectionSample.class);

    private static final List<Op<?>> ALL = List.of(
            MATMUL,
            RMS_NORM,
            SILU_AND_MUL,
            ROPE_NEOX,
            EMBEDDING,
            CAUSAL_CONV1D_FWD,
            CAUSAL_CONV1D_UPDATE,
            L2_NORM,
            RMS_NORM_GATED,
            GDN_PREFILL,
            GDN_DECODE,
            GDN_PACKED_DECODE,
            MOE_ROUTER_TOP_K,
            MOE_COMBINE,
            ATTENTION,
            RESHAPE_AND_CACHE,
            CONCAT_AND_CACHE_MLA,
            MLA_DECODE_ATTENTION,
            MLA_PREFILL_ATTENTION,
            GATHER_MLA_CACHE,
            MERGE_ATTN_STATES,
            PAGED_ATTENTION,
            APPLY_TEMPERATURE,
            GREEDY_ARGMAX,
            APPLY_TOP_K_TOP_P,
            COMPUTE_PROBS,
            COMPUTE_LOGPROBS,
            RANDOM_SAMPLE,
            APPLY_PENALTIES,
            APPLY_MIN_P,
            APPLY_LOGIT_BIAS,
            APPLY_TOKEN_MASK,
            APPLY_ALLOWED_TOKEN_IDS,
            MATMUL_NVFP4,
            SCALED_FP4_QUANT,
            SILU_MUL_FP4_QUANT,
            SILU_AND_MUL_FP4_QUANT,
            SIGMOID_GATE_FP4_QUANT,
            MATMUL_NVFP4_FP4,
            MATMUL_NVFP4_CUTLASS,
            MATMUL_FP8_CUTLASS,
            MATMUL_FP8_CUBLASLT,
            QUANT_FP8_STATIC,
            SWIZZLE_BLOCKSCALE,
            MOE_GROUPED_GEMM_NVFP4,
            MOE_SILU_MUL,
            CAST_BF16,
            CAST_F32,
            MUL_COL_VEC_F32,
            ATTN_GATE_SPLIT,
            SIGMOID_GATE_BF16,
            GDN_G_BETA,
            GDN_CONV_SPLIT,
            QKV_SPLIT,
            SHARED_EXPERT_GATE,
            MOE_COMBINE_GATE,
            MOE_GROUPED_GEMM_NVFP4_MARLIN,
            GDN_POST_CONV,
            ROPE_COS_SIN_CACHE,
            ATTN_QK_NORM_ROPE_GATE,
            FUSED_CHAIN,
            RMS_NORM_QUANT_FP8,
            RMS_NORM_GATED_QUANT_FP8,
            MATMUL_BT,
            MATMUL_BT_QUANT,
            DROPIN_PROBE,
            ROPE_FROM_CACHE,
            GDN_STATE_GATHER,
            GDN_STATE_SCATTER,
            MOE_GROUPED_GEMM_BF16,
            LAYER_NORM,
            RELU,
            ADD,
            BATCHED_MATMUL,
            CONCAT_MLA_NOPE_ROPE,
            GELU_AND_MUL,
            MUL_SCALAR,
            SOFT_CAP,
            GREEDY_REJECTION_SAMPLE);

    private OpTable() {}

    /** All ops in the order of their ids. */
    public static List<Op<?>> all() {
        return ALL;
    }

    /** The op of a name, if there is one. */
    public static Optional<Op<?>> find(String name) {
        return ALL.stream().filter(op -> op.name().equals(name)).findFirst();
    }

    /** The op of a name, or an error that lists what comes near. */
    public static Op<?> get(String name) {
        return find(name).orElseThrow(() -> unknown(name));
    }

    private static VtException unknown(String name) {
        List<String> names = ALL.stream().map(Op::name).toList();
        return VtException.notFound("no op is named '" + name + "'" + NearNames.hint(name, names));
    }
}
