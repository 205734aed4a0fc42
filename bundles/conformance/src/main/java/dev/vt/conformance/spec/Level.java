package dev.vt.conformance.spec;

/** How much is run. */
public enum Level {
    /** A few small calls of every dtype: what a provider is tested with when it arrives. */
    QUICK,
    /** Every size, offset, stride, dtype and pattern. */
    FULL
}
