package dev.vt.model.gguf;

import dev.vt.api.tensor.DType;
import java.util.Optional;

/** The numbers by which GGUF files name element types. Numbers that are not listed here are not supported. */
public final class GgmlType {
    private GgmlType() {}

    /** The element type of a number in a file; empty for retired, unknown and unsupported numbers. */
    public static Optional<DType> dtype(long id) {
        for (DType type : DType.values()) {
            if (id(type) == id) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    /** The number that stands for an element type in a file. */
    public static int id(DType type) {
        return switch (type) {
            case F32 -> 0;
            case F16 -> 1;
            case Q4_0 -> 2;
            case Q5_0 -> 6;
            case Q8_0 -> 8;
            case Q2_K -> 10;
            case Q3_K -> 11;
            case Q4_K -> 12;
            case Q5_K -> 13;
            case Q6_K -> 14;
            case Q8_K -> 15;
            case IQ4_NL -> 20;
            case I8 -> 24;
            case I32 -> 26;
            case I64 -> 27;
            case BF16 -> 30;
            case MXFP4 -> 39;
        };
    }
}
