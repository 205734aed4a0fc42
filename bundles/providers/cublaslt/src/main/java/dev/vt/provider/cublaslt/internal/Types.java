package dev.vt.provider.cublaslt.internal;

import dev.vt.api.tensor.DType;

/** CUDA's numbers of element types. */
final class Types {
    static final int F32 = 0;
    private static final int F16 = 2;
    private static final int BF16 = 14;
    private static final int E4M3 = 28;

    private Types() {}

    /** Bytes are e4m3 numbers here. */
    static int of(DType type) {
        return switch (type) {
            case F32 -> F32;
            case F16 -> F16;
            case BF16 -> BF16;
            case I8 -> E4M3;
            default -> throw new IllegalArgumentException("cuBLASLt is not given " + type);
        };
    }
}
