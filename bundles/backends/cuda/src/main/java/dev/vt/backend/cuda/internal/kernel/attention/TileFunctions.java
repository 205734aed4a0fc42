package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import org.jspecify.annotations.Nullable;

/** A kernel that works on tiles of 16 query rows, by the width of the values; and what such kernels need. Immutable. */
final class TileFunctions {
    /** Query rows of a block of threads. */
    static final int ROWS = 16;

    /** Threads of a block. */
    static final int THREADS = 256;

    /** The most blocks that a grid has in its second dimension. */
    static final long MOST_HEADS = 65535;

    private static final Outcome WIDE =
            Outcome.declined("a tile of heads of that width does not fit into shared memory");
    private static final Outcome MANY_HEADS =
            Outcome.declined("there are more heads than a grid has blocks in a direction");

    private static final int KEYS = 32;

    /** As much as a block may ask for on devices of compute capability 8.0 and up, without what is always taken. */
    private static final int SHARED = 160 << 10;

    private static final int[] COLUMNS = {128, 256, 512};

    private final KernelFunction[] functions = new KernelFunction[COLUMNS.length];

    TileFunctions(KernelModule module, String name) {
        for (int i = 0; i < COLUMNS.length; i++) {
            functions[i] = module.function(name + "_" + COLUMNS[i] / KEYS, SHARED);
        }
    }

    /** The one for values of so many elements. */
    KernelFunction of(long valueWidth) {
        int i = 0;
        while (COLUMNS[i] < valueWidth) {
            i++;
        }
        return functions[i];
    }

    /** Null when there are not too many heads, and they are not too wide. */
    static @Nullable Outcome decline(long heads, long width, long valueWidth, boolean shared) {
        if (heads > MOST_HEADS) {
            return MANY_HEADS;
        }
        boolean wide = valueWidth > COLUMNS[COLUMNS.length - 1] || width > SHARED / Float.BYTES;
        return wide || bytes(width, valueWidth, shared) > SHARED ? WIDE : null;
    }

    /** Bytes of shared memory: rows of queries, keys and values, each of an odd number of floats, and weights. */
    static int bytes(long width, long valueWidth, boolean shared) {
        long floats = (ROWS + KEYS) * (width | 1) + (shared ? 0 : KEYS * (valueWidth | 1)) + ROWS * KEYS;
        return Math.toIntExact(floats * Float.BYTES);
    }

    /** An operand as a matrix of rows of so many elements: its address, type, and whether it can be read in fours. */
    static Launch matrix(Launch launch, Tensor t, long width) {
        return launch.tensor(t).i32(Operand.type(t)).i32(packed(t, width) ? 1 : 0);
    }

    /** True when rows of so many elements can be read four elements at a time. */
    static boolean packed(Tensor t, long width) {
        long address = t.segment().address() + t.offset();
        long size = t.dtype().blockBytes();
        return ((address | width * size) & (4 * size - 1)) == 0;
    }
}
