package dev.vt.backend.cuda.internal.kernel.product;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.CudaStream;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;

/**
 * Products of e4m3 bytes on the matrix units of compute capability 9.0, with sums as exact as those of f16: the units' own sums of
 * e4m3 have about 13 bits. With few rows of a, b becomes f16 on its way to the units; with more, both do in scratch memory first. The
 * queue's lock is held from the first launch to the last, since another product would use the same scratch memory. Stateless.
 */
final class Fp8Products {
    /** Rows of a that a block of the kernels for few rows takes, and its steps in shared memory: as slim_e4m3_sm90.cu has it. */
    private static final int[] ROWS = {8, 16, 32, 64};

    private static final int[] STAGES = {5, 4, 3, 4};

    /** With more rows, reading b once for each 64 of them costs more than widening it once. */
    private static final long FEW_ROWS = 128;

    /** Elements of K in a step, and in a row of a tile. */
    private static final int STEP = 256;

    private static final int ROW = 128;

    /** What scratch memory is cut at. */
    private static final long APART = 256;

    private final TileProducts tiles;
    private final KernelFunction widen = Sources.of("widen_sm90.cu").function("widen_e4m3");
    private final KernelFunction[][] few = new KernelFunction[ROWS.length][];

    Fp8Products(TileProducts tiles) {
        this.tiles = tiles;
        for (int form = 0; form < ROWS.length; form++) {
            few[form] = new KernelFunction[Integer.numberOfTrailingZeros(TileProducts.MAX_PARTS) + 1];
            for (int log = 0; log < few[form].length; log++) {
                few[form][log] =
                        Sources.of("slim_e4m3_sm90.cu").function("slim_e4m3_" + ROWS[form], shared(form), 1 << log);
            }
        }
    }

    /** out = alpha * a * b transposed, of bytes and not empty; false when it is none for these kernels: then nothing was done. */
    boolean run(LaunchQueue cuda, Tensor out, Tensor a, Tensor b, float alpha) {
        if (a.dtype() != DType.I8 || !TileProducts.suits(cuda, out, a, b)) {
            return false;
        }
        return out.dim(0) <= FEW_ROWS ? few(cuda, out, a, b, alpha) : many(cuda, out, a, b, alpha);
    }

    private boolean many(LaunchQueue cuda, Tensor out, Tensor a, Tensor b, float alpha) {
        long first = Math.ceilDiv(2 * a.elements(), APART) * APART;
        try (CudaStream stream = cuda.enter(first + 2 * b.elements())) {
            long left = stream.scratch();
            widen(cuda, left, a, false);
            widen(cuda, left + first, b, false);
            return tiles.multiply(cuda, out, a, left, b, left + first, true, alpha);
        }
    }

    private boolean few(LaunchQueue cuda, Tensor out, Tensor a, Tensor b, float alpha) {
        int form = 0;
        while (form < ROWS.length - 1 && out.dim(0) > ROWS[form]) {
            form++;
        }
        long columns = Math.ceilDiv(out.dim(1), TileProducts.SLIM_COLUMNS);
        long down = Math.ceilDiv(out.dim(0), ROWS[form]);
        long steps = Math.ceilDiv(a.dim(1), STEP);
        int log = TileProducts.parts(columns * down, steps, cuda.units());
        try (CudaStream stream = cuda.enter(2 * a.elements())) {
            long left = stream.scratch();
            widen(cuda, left, a, true);
            try (Launch launch = cuda.launch(few[form][log])) {
                if (!matrix(launch, left, DType.F16, a, 2 * a.dim(1), ROWS[form])
                        || !matrix(
                                launch, Shape.address(b), DType.I8, b, Shape.rowBytes(b), TileProducts.SLIM_COLUMNS)) {
                    return false;
                }
                launch.tensor(out)
                        .i64(out.dim(0))
                        .i64(out.dim(1))
                        .i64(Operand.stride(out))
                        .i32(Operand.type(out))
                        .f32(alpha)
                        .i32((int) steps)
                        .run(columns << log, down, 1, TileProducts.SLIM_THREADS, shared(form));
                return true;
            }
        }
    }

    /** Two tiles of b and four of a for each stage, two barriers, and room to align. */
    private static int shared(int form) {
        return STAGES[form] * ((2 * TileProducts.SLIM_COLUMNS + 4 * ROWS[form]) * ROW + 16) + 1024;
    }

    private static boolean matrix(Launch launch, long address, DType type, Tensor t, long rowBytes, int boxRows) {
        return launch.matrices(address, type, t, rowBytes, 1, rowBytes, ROW / type.blockBytes(), boxRows);
    }

    /** Makes f16 of a matrix; turned when it is for the kernels for few rows. */
    private void widen(LaunchQueue cuda, long to, Tensor t, boolean turned) {
        try (Launch launch = cuda.launch(widen)) {
            launch.address(to)
                    .tensor(t)
                    .i64(t.dim(0))
                    .i64(t.dim(1))
                    .i64(Operand.stride(t))
                    .i32(turned ? 1 : 0)
                    .run(Grid.over(t.elements() / 16), Grid.THREADS);
        }
    }
}
