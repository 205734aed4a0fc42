package dev.vt.ops.fusion;

import java.util.Locale;

/** How a recipe is carried out. All ways give the same bytes. */
public enum Realisation {
    /** One kernel made for the recipe. */
    BESPOKE,
    /** The interpreter {@code fused_chain}: one pass, any recipe of steps that work row by row. */
    CHAIN,
    /** The ops of the steps, one after the other. */
    COMPOSITE;

    /** The word that reports show. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
