package dev.vt.backend.cuda;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The feature bits that the CUDA backend publishes in its caps. This is the one place that defines them. */
public enum CudaFeatures {
    /** NVRTC was found, so kernels can be compiled for the device. */
    NVRTC(0),
    /** Stream-ordered allocation. */
    MEMORY_POOLS(1),
    /** Matrix units for f16: compute capability 7.0 and above. */
    TENSOR_CORES(2),
    /** Matrix units for bf16 and asynchronous copies to shared memory: 8.0 and above. */
    BF16(3),
    /** Matrix units for fp8: 8.9 and above. */
    FP8(4),
    /** Thread block clusters and bulk copies by tensor map: 9.0 and above. */
    CLUSTERS(5),
    /** Matrix units for block-scaled fp4: 10.0 and above. */
    FP4(6),
    /** Kernels were translated to PTX when vt was built, which serves where NVRTC is missing. */
    PREBUILT_KERNELS(7),
    /** Host and device share one memory. */
    INTEGRATED(16),
    /** The device reads ordinary host memory. */
    PAGEABLE_ACCESS(17),
    /** A launch whose blocks all run at once. */
    COOPERATIVE_LAUNCH(18);

    private final int bit;

    CudaFeatures(int bit) {
        this.bit = bit;
    }

    /** The bit as a mask. */
    public long mask() {
        return 1L << bit;
    }

    /** The name that {@code vt:caps} prints. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Names of the bits that are set, in the order of the bits. */
    public static List<String> names(long features) {
        List<String> out = new ArrayList<>();
        for (CudaFeatures f : values()) {
            if ((features & f.mask()) != 0) {
                out.add(f.label());
            }
        }
        return out;
    }
}
