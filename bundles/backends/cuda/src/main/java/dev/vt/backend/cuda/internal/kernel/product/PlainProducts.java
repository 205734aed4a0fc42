package dev.vt.backend.cuda.internal.kernel.product;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;

/**
 * Products of matrices of any types, sizes and alignment with f32 arithmetic, for what matrix units can't serve: tiles of 128 for
 * f32, tiles of 64 for the rest, and one block for eight rows of a transposed b where a has few rows. Stateless.
 */
final class PlainProducts {
    /** Up to here tiles would be mostly empty. */
    private static final long FEW_ROWS = 32;

    /** Rows of b that a block for few rows takes. */
    private static final int FEW_COLUMNS = 8;

    /** The forms of the kernel for few rows: rows of a that a block takes. */
    private static final int[] FEW = {1, 4, 8};

    private static final int TILE = 64;
    private static final int WIDE = 128;
    private static final int THREADS = 256;

    /** The most blocks that a grid has in its second dimension. */
    private static final long MAX_Y = 65535;

    /** The number that the kernel of any types knows e4m3 by. */
    private static final int E4M3 = 100;

    private static final DType[] FLOATS = {DType.F32, DType.F16, DType.BF16};

    private final KernelFunction any;
    private final KernelFunction wide;
    private final KernelFunction[][] few = new KernelFunction[FLOATS.length][FEW.length];

    PlainProducts(KernelModule source) {
        any = source.function("matmul");
        wide = source.function("matmul_f32");
        for (int t = 0; t < FLOATS.length; t++) {
            for (int i = 0; i < FEW.length; i++) {
                few[t][i] = source.function("few_" + FLOATS[t] + "_" + FEW[i]);
            }
        }
    }

    /** Whether a grid has enough blocks. */
    static boolean fits(Tensor out) {
        long rows = Shape.groups(out) * Math.ceilDiv(Shape.rows(out), TILE);
        return rows <= Grid.MAX
                && Math.ceilDiv(out.lastDim(), TILE) <= MAX_Y
                && Math.ceilDiv(out.lastDim(), FEW_COLUMNS) * FEW_ROWS <= Grid.MAX;
    }

    /** out = alpha * a * b, none of it empty but perhaps K; b is [N,K] when transposed. Bytes are e4m3. */
    void run(LaunchQueue cuda, Tensor out, Tensor a, Tensor b, boolean transposed, float alpha) {
        boolean floats = a.dtype() == b.dtype() && a.dtype().ordinal() < FLOATS.length && alpha == 1;
        long rows = Shape.rows(out);
        if (floats && transposed && rows <= FEW_ROWS && out.rank() == 2) {
            few(cuda, out, a, b);
        } else if (floats && a.dtype() == DType.F32 && rows > TILE) {
            wide(cuda, out, a, b, transposed);
        } else {
            any(cuda, out, a, b, transposed, alpha);
        }
    }

    private void any(LaunchQueue cuda, Tensor out, Tensor a, Tensor b, boolean transposed, float alpha) {
        try (Launch launch = cuda.launch(any)) {
            operands(launch, out, a, b);
            groups(launch, out, a, b)
                    .i32(type(a))
                    .i32(type(b))
                    .i32(transposed ? 1 : 0)
                    .f32(alpha)
                    .run(down(out, TILE), Math.ceilDiv(out.lastDim(), TILE), THREADS);
        }
    }

    private void wide(LaunchQueue cuda, Tensor out, Tensor a, Tensor b, boolean transposed) {
        try (Launch launch = cuda.launch(wide)) {
            operands(launch, out, a, b);
            groups(launch, out, a, b)
                    .i32(transposed ? 1 : 0)
                    .i32(Shape.chunks(a) && Shape.chunks(b) ? 1 : 0)
                    .run(down(out, WIDE), Math.ceilDiv(out.lastDim(), WIDE), THREADS);
        }
    }

    private void few(LaunchQueue cuda, Tensor out, Tensor a, Tensor b) {
        long rows = out.dim(0);
        int form = rows == 1 ? 0 : rows <= FEW[1] ? 1 : 2;
        try (Launch launch = cuda.launch(few[a.dtype().ordinal()][form])) {
            operands(launch, out, a, b)
                    .i32(Operand.type(out))
                    .i32(Shape.chunks(a) && Shape.chunks(b) ? 1 : 0)
                    .run(Math.ceilDiv(rows, FEW[form]) * Math.ceilDiv(out.dim(1), FEW_COLUMNS), THREADS);
        }
    }

    private static long down(Tensor out, int tile) {
        return Shape.groups(out) * Math.ceilDiv(Shape.rows(out), tile);
    }

    private static Launch operands(Launch launch, Tensor out, Tensor a, Tensor b) {
        return launch.tensor(out)
                .tensor(a)
                .tensor(b)
                .i64(Shape.rows(out))
                .i64(out.lastDim())
                .i64(a.lastDim())
                .i64(Operand.stride(out))
                .i64(Operand.stride(a))
                .i64(Operand.stride(b));
    }

    private static Launch groups(Launch launch, Tensor out, Tensor a, Tensor b) {
        return launch.i64(Shape.groupStride(out))
                .i64(Shape.groupStride(a))
                .i64(Shape.groupStride(b))
                .i32(Operand.type(out));
    }

    private static int type(Tensor t) {
        return t.dtype() == DType.I8 ? E4M3 : Operand.type(t);
    }
}
