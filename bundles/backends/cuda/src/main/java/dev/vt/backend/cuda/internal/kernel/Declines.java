package dev.vt.backend.cuda.internal.kernel;

import dev.vt.api.op.Outcome;

/** What these kernels can't do. */
final class Declines {
    static final Outcome BLOCK_TYPE = Outcome.declined("an operand has a block type");
    static final Outcome NOT_CONTIGUOUS = Outcome.declined("the last dimension is not contiguous");
    static final Outcome UNEVEN_ROWS = Outcome.declined("the rows of an operand have no one stride");
    static final Outcome MANY_ROWS = Outcome.declined("there are more rows than a grid has blocks");
    static final Outcome NO_COLUMNS = Outcome.declined("a row has no element to choose");
    static final Outcome MISALIGNED = Outcome.declined("an operand's address is no multiple of its element's size");

    private Declines() {}
}
