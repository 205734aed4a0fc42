package dev.vt.backend.cuda.internal.launch;

/**
 * The operands whose elements a kernel checks. A kernel reports the number of the site; it is the number of the constant, from 1
 * on, which the kernel is given.
 */
public enum FaultSite {
    EMBEDDING_IDS("embedding", "ids"),
    RESHAPE_SLOTS("reshape_and_cache", "slotMapping"),
    LATENT_SLOTS("concat_and_cache_mla", "slotMapping"),
    LATENT_LENGTHS("mla_decode_attention", "seqLens"),
    LATENT_TABLE("mla_decode_attention", "blockTable", true),
    SEQUENCE_ROWS("mla_prefill_attention", "cuSeqlensQ"),
    SEQUENCE_KEYS("mla_prefill_attention", "cuSeqlensK"),
    GATHER_BOUNDS("gather_mla_cache", "cuSeqLens"),
    GATHER_OWNERS("gather_mla_cache", "tokenToSeq"),
    GATHER_STARTS("gather_mla_cache", "seqStarts"),
    GATHER_TABLE("gather_mla_cache", "blockTable", true),
    PAGED_STARTS("paged_attention", "queryStartLoc"),
    PAGED_LENGTHS("paged_attention", "seqLens"),
    PAGED_TABLE("paged_attention", "blockTable", true),
    LOGIT_BIAS_ROWS("apply_logit_bias", "rows"),
    LOGIT_BIAS_COLS("apply_logit_bias", "cols"),
    TOKEN_MASK_ROWS("apply_token_mask", "rows"),
    TOKEN_MASK_COLS("apply_token_mask", "cols"),
    ROPE_POSITIONS("rope_from_cache", "positions"),
    REJECTION_BOUNDS("greedy_rejection_sample", "cu"),
    CONV_FWD_STARTS("causal_conv1d_fwd", "queryStartLoc"),
    CONV_UPDATE_SLOTS("causal_conv1d_update", "stateIndices"),
    GDN_PREFILL_STARTS("gdn_prefill", "queryStartLoc"),
    GDN_DECODE_SLOTS("gdn_decode", "stateIndices"),
    GDN_PACKED_DECODE_SLOTS("gdn_packed_decode", "stateIndices"),
    GDN_STATE_GATHER_SLOTS("gdn_state_gather", "stateIndices"),
    GDN_STATE_SCATTER_SLOTS("gdn_state_scatter", "stateIndices"),
    EXPERTS_BF16_IDS("moe_grouped_gemm_bf16", "expertIds"),
    EXPERTS_BF16_ROWS("moe_grouped_gemm_bf16", "rowMap"),
    EXPERTS_BF16_WEIGHTS("moe_grouped_gemm_bf16", "weights"),
    EXPERTS_NVFP4_IDS("moe_grouped_gemm_nvfp4", "expertIds"),
    EXPERTS_NVFP4_ROWS("moe_grouped_gemm_nvfp4", "rowMap"),
    EXPERTS_NVFP4_PACKED("moe_grouped_gemm_nvfp4", "packed"),
    EXPERTS_NVFP4_SCALES("moe_grouped_gemm_nvfp4", "scales"),
    MARLIN_COUNT("moe_grouped_gemm_nvfp4_marlin", "numTokensPostPadded"),
    MARLIN_EXPERTS("moe_grouped_gemm_nvfp4_marlin", "expertIds"),
    MARLIN_ROWS("moe_grouped_gemm_nvfp4_marlin", "sortedTokenIds");

    private final String op;
    private final String argument;
    private final boolean matrix;

    FaultSite(String op, String argument) {
        this(op, argument, false);
    }

    /** Of a matrix a kernel reports the row in the upper half of the index, the column in the lower. */
    FaultSite(String op, String argument, boolean matrix) {
        this.op = op;
        this.argument = argument;
        this.matrix = matrix;
    }

    /** The number that the kernel is given. */
    public int number() {
        return ordinal() + 1;
    }

    /** The sentence about an element outside its bounds. */
    public static String sentence(int number, String device, long index, long low, long high, long given) {
        FaultSite site = values()[number - 1];
        return "op " + site.op + " on " + device + ": " + site.argument + site.place(index) + ": expected " + low
                + " to " + high + ", given " + given;
    }

    private String place(long index) {
        return matrix ? "[" + (index >>> 32) + "][" + (int) index + "]" : "[" + index + "]";
    }
}
