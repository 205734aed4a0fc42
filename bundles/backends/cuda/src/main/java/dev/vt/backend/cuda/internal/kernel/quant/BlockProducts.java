package dev.vt.backend.cuda.internal.kernel.quant;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.BlockTypes;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;

/** The kernels of products with weights of one block encoding. Stateless. */
final class BlockProducts {
    /** Columns of activations that the matrix units take at once. */
    private static final int COLUMNS = 8;

    /** The most of them that one block has: as many as {@link #COLUMNS} of f32, each in three parts. */
    private static final int MOST_COLUMNS = 24;

    /** Elements of a row of weights that a warp takes at once. */
    private static final int CHUNK = 256;

    /** Bytes of the parts of a chunk, for each column. */
    private static final int PARTS_BYTES = 512;

    private static final int WARPS = 8;

    /** Two blocks of this size run on one multiprocessor of a large device, one on that of any. */
    private static final int SHARED = 96 << 10;

    private static final int ROWS = 16;

    /** Rows of weights from which on blocks alone keep a large device busy: fewer warps a block share K, or a block takes more rows. */
    private static final long MANY_ROWS = 8192;

    /** Bytes of a chunk up to which 32 rows a block pay, where a block has one scale; seen on an H200. */
    private static final long LIGHT = 176;

    private final KernelFunction[] few = new KernelFunction[MOST_COLUMNS / COLUMNS];
    private final KernelFunction wide;
    private final boolean light;
    private final int copyBytes;
    private final int scaleBytes;

    BlockProducts(DType type) {
        KernelModule source = Sources.of("product_" + BlockTypes.name(type) + "_sm80.cu");
        for (int i = 0; i < few.length; i++) {
            few[i] = source.function("few_rows_1_" + (i + 1), SHARED);
        }
        wide = source.function("few_rows_2_1", SHARED);
        light = type.blockElements() < CHUNK && type.rowBytes(CHUNK) <= LIGHT;
        copyBytes = copyBytes(type);
        scaleBytes = scaleBytes(type);
    }

    /** The copy of a chunk of 16 rows, as the source has it. */
    private static int copyBytes(DType type) {
        int pieces = ((int) type.rowBytes(CHUNK) + 30) / 16 | 1;
        return ROWS * 16 * pieces;
    }

    /** The table of the scales of 16 rows, and one more for each row, as the source has it; none where a block has but one. */
    private static int scaleBytes(DType type) {
        int units = CHUNK / 32;
        return switch (type) {
            case Q4_K, Q5_K -> ROWS * (units + 1) * 2 * Float.BYTES;
            case Q2_K, Q3_K, Q6_K -> ROWS * (2 * units + 1) * 2 * Float.BYTES;
            default -> 0;
        };
    }

    /** out = a * b transposed; none is empty but perhaps K. */
    void run(LaunchQueue cuda, Tensor out, Tensor a, Tensor b) {
        int parts = a.dtype() == DType.F32 ? 3 : a.dtype() == DType.F16 ? 2 : 1;
        int rows = (int) Math.min(out.dim(0), MOST_COLUMNS / parts);
        int columns = rows * parts;
        boolean many = out.dim(1) >= MANY_ROWS;
        int tiles = many && light && columns <= COLUMNS ? 2 : 1;
        int ownBytes = tiles * (2 * copyBytes + scaleBytes) + PARTS_BYTES * columns;
        int warps = Math.min(many && tiles == 1 ? WARPS / 2 : WARPS, SHARED / ownBytes);
        KernelFunction kernel = tiles == 2 ? wide : few[Math.ceilDiv(columns, COLUMNS) - 1];
        try (Launch launch = cuda.launch(kernel)) {
            launch.tensor(out)
                    .tensor(a)
                    .tensor(b)
                    .i64(out.dim(0))
                    .i32(rows)
                    .i64(out.dim(1))
                    .i64(a.dim(1))
                    .i64(Operand.stride(out))
                    .i64(Operand.stride(a))
                    .i32(Operand.type(out))
                    .i32(Operand.type(a))
                    .i32(fours(a) ? 1 : 0)
                    .run(
                            Math.ceilDiv(out.dim(1), (long) ROWS * tiles),
                            Math.ceilDiv(out.dim(0), rows),
                            1,
                            32 * warps,
                            warps * ownBytes);
        }
    }

    /** Whether each four elements can be read at once. */
    private static boolean fours(Tensor a) {
        long bytes = a.dtype().blockBytes();
        return (a.segment().address() + a.offset() | Operand.stride(a) * bytes) % (4 * bytes) == 0;
    }
}
