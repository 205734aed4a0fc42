package dev.vt.model.gguf;

import org.jspecify.annotations.Nullable;

/** The types of metadata values, in the order of their numbers in a file. */
enum GgufValueType {
    UINT8("uint8", 1),
    INT8("int8", 1),
    UINT16("uint16", 2),
    INT16("int16", 2),
    UINT32("uint32", 4),
    INT32("int32", 4),
    FLOAT32("float32", 4),
    BOOL("bool", 1),
    STRING("string", 8),
    ARRAY("array", 12),
    UINT64("uint64", 8),
    INT64("int64", 8),
    FLOAT64("float64", 8);

    private static final GgufValueType[] ALL = values();

    private final String label;
    private final int leastBytes;

    GgufValueType(String label, int leastBytes) {
        this.label = label;
        this.leastBytes = leastBytes;
    }

    static @Nullable GgufValueType of(long id) {
        return id >= 0 && id < ALL.length ? ALL[(int) id] : null;
    }

    int id() {
        return ordinal();
    }

    /** Bytes of a value; for strings and arrays the bytes of an empty one. */
    int leastBytes() {
        return leastBytes;
    }

    boolean isInteger() {
        return switch (this) {
            case UINT8, INT8, UINT16, INT16, UINT32, INT32, UINT64, INT64 -> true;
            default -> false;
        };
    }

    boolean isFloat() {
        return this == FLOAT32 || this == FLOAT64;
    }

    @Override
    public String toString() {
        return label;
    }
}
