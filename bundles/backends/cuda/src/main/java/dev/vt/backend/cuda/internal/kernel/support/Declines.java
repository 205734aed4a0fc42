package dev.vt.backend.cuda.internal.kernel.support;

import dev.vt.api.op.Outcome;

/** What these kernels can't do. */
public final class Declines {
    public static final Outcome BLOCK_TYPE = Outcome.declined("an operand has a block type");
    public static final Outcome NOT_CONTIGUOUS = Outcome.declined("the last dimension is not contiguous");
    public static final Outcome UNEVEN_ROWS = Outcome.declined("the rows of an operand have no one stride");
    public static final Outcome MANY_ROWS = Outcome.declined("there are more rows than a grid has blocks");
    public static final Outcome LONG_ROW = Outcome.declined("a row has more elements than a block can go through");
    public static final Outcome NO_COLUMNS = Outcome.declined("a row has no element to choose");
    public static final Outcome MISALIGNED =
            Outcome.declined("an operand's address is no multiple of its element's size");

    private Declines() {}
}
