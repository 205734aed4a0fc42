package dev.vt.ops.fusion;

/**
 * A place for a tensor in a recipe.
 *
 * @param name what the tensor is bound by
 * @param role what is done with it
 */
public record Slot(String name, Role role) {
    /** What a recipe does with a tensor. */
    public enum Role {
        /** Read. */
        INPUT,
        /** Read; a parameter of the model. */
        WEIGHT,
        /** Read and written. */
        IN_OUT,
        /** Written. */
        OUTPUT,
        /**
         * Holds what one step hands to another, in bf16. Always bound, since the realisation may change from call to call; what it holds
         * afterwards is not defined.
         */
        SCRATCH
    }

    /** True when a realisation may write it. */
    public boolean written() {
        return role == Role.IN_OUT || role == Role.OUTPUT || role == Role.SCRATCH;
    }
}
