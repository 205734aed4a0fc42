package dev.vt.api.tensor;

import dev.vt.api.VtException;

/**
 * Element types. Plain types hold one element a piece; block types (the encodings of the GGUF format) hold a fixed number of
 * elements in a fixed number of bytes and are for storage only.
 */
public enum DType {
    F32("f32", 1, 4),
    F16("f16", 1, 2),
    BF16("bf16", 1, 2),
    I8("i8", 1, 1),
    I32("i32", 1, 4),
    I64("i64", 1, 8),
    Q4_0("q4_0", 32, 18),
    Q5_0("q5_0", 32, 22),
    Q8_0("q8_0", 32, 34),
    Q2_K("q2_K", 256, 84),
    Q3_K("q3_K", 256, 110),
    Q4_K("q4_K", 256, 144),
    Q5_K("q5_K", 256, 176),
    Q6_K("q6_K", 256, 210),
    Q8_K("q8_K", 256, 292),
    IQ4_NL("iq4_nl", 32, 18),
    MXFP4("mxfp4", 32, 17);

    private final String label;
    private final int blockElements;
    private final int blockBytes;

    DType(String label, int blockElements, int blockBytes) {
        this.label = label;
        this.blockElements = blockElements;
        this.blockBytes = blockBytes;
    }

    /** Elements of one block; 1 for a plain type. */
    public int blockElements() {
        return blockElements;
    }

    /** Bytes of one block. */
    public int blockBytes() {
        return blockBytes;
    }

    public boolean isBlock() {
        return blockElements > 1;
    }

    /** f32, f16 or bf16. */
    public boolean isFloat() {
        return ordinal() <= BF16.ordinal();
    }

    /** Bytes of one element; a block type has none and throws. */
    public int elementBytes() {
        if (isBlock()) {
            throw VtException.invalidArgument(
                    "dtype " + label + ": a block type has no element size; ask for a row's size");
        }
        return blockBytes;
    }

    /** Bytes of {@code elements} elements in one row; they must be whole blocks. */
    public long rowBytes(long elements) {
        if (elements < 0 || elements % blockElements != 0) {
            throw VtException.invalidArgument("dtype " + label + ": expected a row of a multiple of " + blockElements
                    + " elements, given " + elements);
        }
        return Math.multiplyExact(elements / blockElements, blockBytes);
    }

    /** The name that people and files use. */
    public String label() {
        return label;
    }

    @Override
    public String toString() {
        return label;
    }
}
