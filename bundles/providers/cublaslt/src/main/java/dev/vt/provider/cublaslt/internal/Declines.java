package dev.vt.provider.cublaslt.internal;

import dev.vt.api.op.Outcome;

/** Why the kernels of this provider decline. */
final class Declines {
    static final Outcome BLOCK_TYPE = Outcome.declined("an operand has a block type");
    static final Outcome MIXED_TYPES = Outcome.declined("a and b are of different types");
    static final Outcome OUT_TYPE = Outcome.declined("out is of a type that cuBLASLt does not store for these inputs");
    static final Outcome STRIDED = Outcome.declined("the last dimension is not contiguous");
    static final Outcome OVERLAPPING = Outcome.declined("rows of an operand overlap");
    static final Outcome MISALIGNED = Outcome.declined("an operand's address is no multiple of its element's size");
    static final Outcome MISALIGNED_FP8 =
            Outcome.declined("the address of an fp8 operand, or of its result, is no multiple of 16");
    static final Outcome NOTHING_TO_ADD = Outcome.declined("K is 0");
    static final Outcome MANY_PAIRS = Outcome.declined("there are 2^31 pairs of matrices or more");
    static final Outcome NO_ALGORITHM =
            Outcome.declined("cuBLASLt has no algorithm for these sizes, types and strides");
    static final Outcome NOT_SUPPORTED = Outcome.declined("cuBLASLt does not support these operands after all");
    static final Outcome NO_HANDLE = Outcome.declined("cuBLASLt does not start on this device (see the log)");
    static final Outcome NO_LIBRARY = Outcome.declined("the library of cuBLASLt is not loaded");

    private Declines() {}
}
