package dev.vt.backend.cpu;

import java.util.ArrayList;
import java.util.List;

/** The feature bits that the CPU backend publishes in its caps. This is the one place that defines them. */
public enum CpuFeatures {
    SSE4_2(0),
    AVX(1),
    F16C(2),
    FMA(3),
    AVX2(4),
    AVX512F(5),
    AVX512BW(6),
    AVX512VL(7),
    AVX512_VNNI(8),
    AVX512_BF16(9),
    AVX512_FP16(10),
    AMX_INT8(11),
    AMX_BF16(12),
    NEON(32),
    NEON_DOTPROD(33),
    NEON_I8MM(34),
    NEON_BF16(35),
    SVE(36),
    /** The module jdk.incubator.vector is present in this Java process. */
    VECTOR_API(48);

    private final int bit;

    CpuFeatures(int bit) {
        this.bit = bit;
    }

    /** The bit as a mask. */
    public long mask() {
        return 1L << bit;
    }

    /** The name that {@code vt:caps} prints. */
    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Names of the bits that are set, in the order of the bits. */
    public static List<String> names(long features) {
        List<String> out = new ArrayList<>();
        for (CpuFeatures f : values()) {
            if ((features & f.mask()) != 0) {
                out.add(f.label());
            }
        }
        return out;
    }
}
