package dev.vt.backend.cuda.internal.driver;

/** The codes of the driver that the backend tells apart. */
public final class CudaCode {
    static final int SUCCESS = 0;
    static final int INVALID_VALUE = 1;
    static final int OUT_OF_MEMORY = 2;
    static final int NO_DEVICE = 100;
    static final int NOT_FOUND = 500;
    static final int NOT_READY = 600;

    private CudaCode() {}

    /**
     * True for a failure after which CUDA serves nothing more in this process: a kernel that read or wrote where it must not,
     * an illegal instruction, a hardware fault. Neither a reset nor a new context helps.
     */
    static boolean fatal(int code) {
        return switch (code) {
            case 4, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719 -> true;
            default -> false;
        };
    }
}
