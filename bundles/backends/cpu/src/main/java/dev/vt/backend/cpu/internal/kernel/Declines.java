package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.op.Outcome;

/** What these kernels can't do. */
final class Declines {
    static final Outcome LONG_ROW = Outcome.declined("a row has more elements than a Java array");
    static final Outcome MANY_ROWS = Outcome.declined("there are more rows than a Java array has elements");
    static final Outcome NOT_CONTIGUOUS = Outcome.declined("the last dimension is not contiguous");
    static final Outcome NO_COLUMNS = Outcome.declined("a row has no element to choose");

    private Declines() {}
}
