package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;

/**
 * The kernels of a query row on the matrix units, for caches of bf16: by the size of a head, the number of bf16 parts of an element of the
 * query, and the number of heads at once. Immutable.
 */
final class MatrixFunctions {
    /** The compute capability from which on there are matrix units for bf16. */
    static final int CAPABILITY = 80;

    /** The longest head. */
    static final int MOST = 128;

    /** Elements of 16 bytes. */
    private static final int ACCESS = 8;

    private static final int[] SIZES = {64, MOST};
    private static final int[] PARTS = {1, 3};
    private static final int[] HEADS = {8, 16};

    private final KernelFunction[][][] functions = new KernelFunction[SIZES.length][PARTS.length][HEADS.length];

    MatrixFunctions() {
        KernelModule module = Sources.of("paged_mma_sm80.cu");
        for (int i = 0; i < SIZES.length; i++) {
            for (int j = 0; j < PARTS.length; j++) {
                for (int k = 0; k < HEADS.length; k++) {
                    functions[i][j][k] = module.function("paged_mma_" + SIZES[i] + "_" + PARTS[j] + "_" + HEADS[k]);
                }
            }
        }
    }

    /** True for what they serve; a single head leaves nothing to a matrix unit that is worth its rows. */
    static boolean serves(int capability, Tensor cache, long dim, long group, boolean wide) {
        boolean type = cache.dtype() == DType.BF16 && capability >= CAPABILITY;
        return type && wide && dim <= MOST && dim % ACCESS == 0 && group > 1;
    }

    /** Heads of a block of threads. */
    static int heads(long group) {
        return HEADS[group > HEADS[0] ? 1 : 0];
    }

    KernelFunction of(Tensor query, long dim, long group) {
        return functions[dim > SIZES[0] ? 1 : 0][query.dtype() == DType.BF16 ? 0 : 1][group > HEADS[0] ? 1 : 0];
    }
}
