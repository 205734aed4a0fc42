package dev.vt.conformance;

import static java.util.Map.entry;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Pattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The cases of the kit that values from elsewhere are kept for: a small one of every variant and of every dtype. */
final class TruthCases {
    private static final Map<String, String> SIZES = Map.ofEntries(
            entry("matmul", "3x21x5"),
            entry("rms_norm", "3x17"),
            entry("silu_and_mul", "3x9"),
            entry("rope_neox", "4x3x2x12x8"),
            entry("embedding", "3x4x19"),
            entry("causal_conv1d_fwd", "3x9x5x4"),
            entry("causal_conv1d_update", "4x5x4"),
            entry("l2_norm", "3x17"),
            entry("rms_norm_gated", "3x9"),
            entry("gdn_prefill", "2x7x1x2x6x5"),
            entry("gdn_decode", "3x1x2x6x5"),
            entry("gdn_packed_decode", "4x1x2x6x5"),
            entry("moe_router_top_k", "4x16x3"),
            entry("moe_combine", "3x3x11"),
            entry("attention", "6x4x2x5"),
            entry("reshape_and_cache", "5x2x3x2x4"),
            entry("concat_and_cache_mla", "5x6x3x4"),
            entry("mla_decode_attention", "3x2x10x6x9x4"),
            entry("mla_prefill_attention", "2x4x6x2x8x5"),
            entry("gather_mla_cache", "2x5x6x3"),
            entry("merge_attn_states", "5x3x4"),
            entry("paged_attention", "3x9x4x2x6x4"),
            entry("apply_temperature", "4x17"),
            entry("greedy_argmax", "4x33"),
            entry("apply_top_k_top_p", "7x29"),
            entry("compute_probs", "3x29"),
            entry("compute_logprobs", "3x29"),
            entry("random_sample", "4x29"),
            entry("apply_penalties", "3x23"),
            entry("apply_min_p", "5x29"),
            entry("apply_logit_bias", "3x11x9"),
            entry("apply_token_mask", "3x11x9"),
            entry("apply_allowed_token_ids", "3x17"),
            entry("matmul_nvfp4", "3x32x5"),
            entry("scaled_fp4_quant", "3x48"),
            entry("silu_mul_fp4_quant", "2x32"),
            entry("silu_and_mul_fp4_quant", "2x32"),
            entry("sigmoid_gate_fp4_quant", "2x32"),
            entry("matmul_nvfp4_fp4", "3x32x5"),
            entry("matmul_nvfp4_cutlass", "2x32x32"),
            entry("matmul_fp8_cutlass", "3x32x16"),
            entry("matmul_fp8_cublaslt", "3x32x16"),
            entry("quant_fp8_static", "4x33"),
            entry("swizzle_blockscale", "5x3"),
            entry("moe_grouped_gemm_nvfp4", "5x3x3x32x5"),
            entry("moe_silu_mul", "3x13"),
            entry("cast_bf16", "4x33"),
            entry("cast_f32", "4x33"),
            entry("mul_col_vec_f32", "3x13"),
            entry("attn_gate_split", "3x2x5"),
            entry("sigmoid_gate_bf16", "3x2x5"),
            entry("gdn_g_beta", "3x7"),
            entry("gdn_conv_split", "3x5x7"),
            entry("qkv_split", "3x8x5x4"),
            entry("shared_expert_gate", "3x13"),
            entry("moe_combine_gate", "3x3x11"),
            entry("gdn_post_conv", "3x1x2x6x5"),
            entry("rope_cos_sin_cache", "3x16"),
            entry("attn_qk_norm_rope_gate", "3x4x2x10x6"),
            entry("fused_chain", "3x17"),
            entry("rms_norm_quant_fp8", "3x17"),
            entry("rms_norm_gated_quant_fp8", "2x3x7"),
            entry("moe_grouped_gemm_nvfp4_marlin", "3x2x16x64"),
            entry("matmul_bt", "3x21x5"),
            entry("matmul_bt_quant", "2x0x3"),
            entry("rope_from_cache", "4x3x2x12x8x6"),
            entry("gdn_state_gather", "4x3x2x5"),
            entry("gdn_state_scatter", "4x3x2x5"),
            entry("moe_grouped_gemm_bf16", "5x3x3x9x4"),
            entry("layer_norm", "3x17"),
            entry("relu", "3x17"),
            entry("add", "3x17"),
            entry("batched_matmul", "3x2x9x4"),
            entry("concat_mla_nope_rope", "3x2x5x4"),
            entry("gelu_and_mul", "3x9"),
            entry("mul_scalar", "3x17"),
            entry("soft_cap", "3x17"),
            entry("greedy_rejection_sample", "4x3x9"));

    private TruthCases() {}

    /** The plain form in every dtype, the others in one each; those whose data is wrong are left out. */
    static List<CasePlan> of(OpSpec spec) {
        List<CasePlan> plans = new ArrayList<>();
        String sizes = SIZES.get(spec.op().name());
        for (int v = 0; sizes != null && v < spec.variants().size(); v++) {
            List<DType> types = spec.dtypes();
            for (DType t : v == 0 ? types : List.of(types.get(v % types.size()))) {
                CasePlan plan = new CasePlan(dims(spec, sizes, t), t, v, Pattern.NORMAL, 0, false);
                if (spec.has(plan) && spec.make(plan).fault() == null) {
                    plans.add(plan);
                }
            }
        }
        return plans;
    }

    private static long[] dims(OpSpec spec, String sizes, DType dtype) {
        long[] dims = Arrays.stream(sizes.split("x")).mapToLong(Long::parseLong).toArray();
        if (dtype.isBlock()) {
            // One block a row.
            dims[spec.op().name().equals("embedding") ? 2 : 1] = dtype.blockElements();
        }
        return dims;
    }
}
