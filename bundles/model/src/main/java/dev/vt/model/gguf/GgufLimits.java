package dev.vt.model.gguf;

/**
 * Bounds that a GGUF file's counts are held against before anything is allocated. A count is also held against the
 * bytes that are left in the file, so these only stop files that are big and absurd at once.
 */
final class GgufLimits {
    /** The format's own limit of a key's length in bytes. */
    static final int KEY_BYTES = 65_535;

    /** Tensor names are below 64 bytes in all known files; the format lets tools choose more. */
    static final int TENSOR_NAME_BYTES = 1_024;

    /** Known models have fewer than 100 keys. */
    static final int KEYS = 65_536;

    /** The largest known models, with one tensor an expert, have some 50,000. */
    static final int TENSORS = 262_144;

    /** Known files don't nest arrays at all; each level costs a stack frame. */
    static final int ARRAY_DEPTH = 4;

    /** Dimensions of a tensor. */
    static final int DIMENSIONS = 4;

    /** Arrays are given out as Java arrays. */
    static final int ARRAY_ELEMENTS = Integer.MAX_VALUE - 8;

    /** Least bytes of a key with its value: length, one character, type, one byte. */
    static final int LEAST_ENTRY_BYTES = 8 + 1 + 4 + 1;

    /** Least bytes of a tensor's description: length, one character, rank, one dimension, type, offset. */
    static final int LEAST_TENSOR_BYTES = 8 + 1 + 4 + 8 + 4 + 8;

    private GgufLimits() {}
}
