package dev.vt.conformance.spec;

/** What stands out in the data of a case. */
public enum Pattern {
    /** About normally distributed values; the last ones of a row are three times larger, so that a dropped tail shows. */
    NORMAL("normal"),
    /** A NaN as the first element of every row. */
    NAN_FIRST("nan-first"),
    /** A NaN in the middle of every row. */
    NAN_MIDDLE("nan-middle"),
    /** A NaN as the last element of every row. */
    NAN_LAST("nan-last"),
    /** Nothing but NaN. */
    NAN_ALL("nan-all"),
    /** A positive infinity in the middle of every row. */
    INFINITE("inf"),
    /** A negative infinity in the middle of every row. */
    MINUS_INFINITE("minus-inf"),
    /** A NaN among infinities of both signs. */
    NAN_AND_INFINITE("nan-and-inf"),
    /** Values below the smallest normal number of the type. */
    DENORMAL("denormal"),
    /** All zeros; all-zero blocks in a block encoding. */
    ZERO("zero"),
    /** Values near the largest of the type; the largest scales of a block encoding. */
    LARGE("large"),
    /** Few different values, so that ties are everywhere. */
    TIES("ties");

    private final String label;

    Pattern(String label) {
        this.label = label;
    }

    /** The word that reports show. */
    public String label() {
        return label;
    }
}
