package dev.vt.backend.cuda.internal.launch;

/**
 * The operands whose elements a kernel checks. A kernel reports the number of the site; it is the number of the constant, from 1
 * on, and stands in the kernel's source too.
 */
public enum FaultSite {
    EMBEDDING_IDS("embedding", "ids"),
    LOGIT_BIAS_ROWS("apply_logit_bias", "rows"),
    LOGIT_BIAS_COLS("apply_logit_bias", "cols"),
    TOKEN_MASK_ROWS("apply_token_mask", "rows"),
    TOKEN_MASK_COLS("apply_token_mask", "cols"),
    REJECTION_BOUNDS("greedy_rejection_sample", "cu");

    private final String op;
    private final String argument;

    FaultSite(String op, String argument) {
        this.op = op;
        this.argument = argument;
    }

    /** The number that the kernel is given. */
    public int number() {
        return ordinal() + 1;
    }

    /** The sentence about an element outside its bounds. */
    public static String sentence(int number, String device, long index, long low, long high, long given) {
        FaultSite site = values()[number - 1];
        return "op " + site.op + " on " + device + ": " + site.argument + "[" + index + "]: expected " + low + " to "
                + high + ", given " + given;
    }
}
