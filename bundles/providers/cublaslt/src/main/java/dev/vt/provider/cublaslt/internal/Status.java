package dev.vt.provider.cublaslt.internal;

/** cuBLAS's codes. */
final class Status {
    static final int SUCCESS = 0;
    static final int INVALID_VALUE = 7;
    static final int NOT_SUPPORTED = 15;

    private Status() {}

    /** The name and number of a code. */
    static String text(int code) {
        String name = switch (code) {
            case SUCCESS -> "SUCCESS";
            case 1 -> "NOT_INITIALIZED";
            case 3 -> "ALLOC_FAILED";
            case INVALID_VALUE -> "INVALID_VALUE";
            case 8 -> "ARCH_MISMATCH";
            case 11 -> "MAPPING_ERROR";
            case 13 -> "EXECUTION_FAILED";
            case 14 -> "INTERNAL_ERROR";
            case NOT_SUPPORTED -> "NOT_SUPPORTED";
            case 16 -> "LICENSE_ERROR";
            default -> "an unknown code";
        };
        return name + " (" + code + ")";
    }
}
