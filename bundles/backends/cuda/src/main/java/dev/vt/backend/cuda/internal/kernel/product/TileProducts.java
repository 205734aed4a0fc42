package dev.vt.backend.cuda.internal.kernel.product;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;

/**
 * Products of f16 and of bf16 on the matrix units of compute capability 9.0, with sums in f32: large tiles by blocks that stay, and
 * slim ones where a has few rows or there would be few large tiles. Rows must start at multiples of 16 bytes. Stateless.
 */
final class TileProducts {
    /** A tile of the large form, and of the slim ones, whose rows are columns of b. */
    private static final int LARGE_ROWS = 128;

    private static final int LARGE_COLUMNS = 256;
    static final int SLIM_COLUMNS = 64;

    /** Elements of K in one tile of shared memory: rows of 128 bytes. */
    static final int DEPTH = 64;

    private static final int LARGE_THREADS = 384;
    static final int SLIM_THREADS = 160;

    /** Four stages of a tile of a and one of b, with two barriers each, and room to align. */
    private static final int LARGE_SHARED = 4 * (LARGE_ROWS + LARGE_COLUMNS) * 2 * DEPTH + 4 * 16 + 1024;

    /** With more rows than this the large form is the better one, if it makes enough tiles. */
    private static final long SLIM_ROWS = 256;

    /** The most blocks of a cluster; more than eight not every device has. */
    static final int MAX_PARTS = 8;

    /** Steps of K that a block must have for itself before it is worth another one. */
    private static final int MIN_STEPS = 2;

    /** What a grid may have in its second and third dimension. */
    private static final long MAX_YZ = 65535;

    /** Coordinates are 32-bit numbers with a sign, and a tile may lie partly behind the end. */
    private static final long MAX_SIZE = Integer.MAX_VALUE - LARGE_COLUMNS;

    private final KernelFunction[][] large = new KernelFunction[2][2];
    private final KernelFunction[][][][] slim;

    TileProducts() {
        SlimForm[] forms = SlimForm.values();
        slim = new KernelFunction[2][2][forms.length][Integer.numberOfTrailingZeros(MAX_PARTS) + 1];
        for (int type = 0; type < 2; type++) {
            String name = type == 0 ? "f16" : "bf16";
            for (int turned = 0; turned < 2; turned++) {
                String suffix = turned == 0 ? "" : "_bt";
                large[type][turned] = Sources.of("large_" + name + "_sm90.cu").function("large" + suffix, LARGE_SHARED);
                for (SlimForm form : forms) {
                    KernelFunction[] parts = slim[type][turned][form.ordinal()];
                    for (int i = 0; i < parts.length; i++) {
                        parts[i] = Sources.of(form.file(name))
                                .function("slim" + suffix + "_" + form.rows(), form.shared(), 1 << i);
                    }
                }
            }
        }
    }

    /** Launches a product that is not empty; false when it is none for these kernels: then nothing was done. */
    boolean run(LaunchQueue cuda, Tensor out, Tensor a, Tensor b, boolean transposed) {
        DType type = a.dtype();
        return (type == DType.F16 || type == DType.BF16)
                && suits(cuda, out, a, b)
                && multiply(cuda, out, a, Shape.address(a), b, Shape.address(b), transposed, 1);
    }

    /** Whether the copy engine can read the operands, which have one type. */
    static boolean suits(LaunchQueue cuda, Tensor out, Tensor a, Tensor b) {
        return cuda.copiesTiles()
                && a.dtype() == b.dtype()
                && a.lastDim() > 0
                && Math.max(Math.max(Shape.rows(a), a.lastDim()), Math.max(Shape.rows(b), b.lastDim())) <= MAX_SIZE
                && Shape.groups(out) <= MAX_YZ
                && Shape.copies(a)
                && Shape.copies(b);
    }

    /** The same where i8 stands for dense f16 of that shape, at these addresses. */
    boolean multiply(
            LaunchQueue cuda, Tensor out, Tensor a, long left, Tensor b, long right, boolean transposed, float alpha) {
        long rows = Shape.rows(out);
        long tiles = Shape.groups(out) * Math.ceilDiv(rows, LARGE_ROWS) * Math.ceilDiv(out.lastDim(), LARGE_COLUMNS);
        if (rows > SLIM_ROWS && 2 * tiles > cuda.units() && tiles <= Integer.MAX_VALUE) {
            try (Launch launch = cuda.launch(large[type(a)][transposed ? 1 : 0])) {
                return matrices(launch, left, a, LARGE_ROWS)
                        && matrices(launch, right, b, transposed ? LARGE_COLUMNS : DEPTH)
                        && large(launch, out, a, b, alpha, Math.min(tiles, cuda.units()));
            }
        }
        long columns = Math.ceilDiv(out.lastDim(), SLIM_COLUMNS);
        SlimForm form = SlimForm.of(rows, columns * Shape.groups(out), cuda.units());
        long steps = Math.ceilDiv(a.lastDim(), (long) form.depth() * DEPTH);
        int log = parts(columns * form.tiles(rows) * Shape.groups(out), steps, cuda.units());
        if (form.tiles(rows) > MAX_YZ || columns << log > Integer.MAX_VALUE) {
            return false;
        }
        try (Launch launch = cuda.launch(slim[type(a)][transposed ? 1 : 0][form.ordinal()][log])) {
            return matrices(launch, left, a, form.rows())
                    && matrices(launch, right, b, transposed ? SLIM_COLUMNS : DEPTH)
                    && slim(launch, out, a, b, alpha, form, columns << log);
        }
    }

    private static boolean large(Launch launch, Tensor out, Tensor a, Tensor b, float alpha, long blocks) {
        output(launch, out, alpha)
                .i32((int) Math.ceilDiv(a.lastDim(), DEPTH))
                .i32((int) Math.ceilDiv(Shape.rows(out), LARGE_ROWS))
                .i32((int) Math.ceilDiv(out.lastDim(), LARGE_COLUMNS))
                .i32((int) Shape.groups(out))
                .i32(step(a))
                .i32(step(b))
                .run(blocks, 1, 1, LARGE_THREADS, LARGE_SHARED);
        return true;
    }

    private static boolean slim(
            Launch launch, Tensor out, Tensor a, Tensor b, float alpha, SlimForm form, long across) {
        output(launch, out, alpha)
                .i32((int) Math.ceilDiv(a.lastDim(), (long) form.depth() * DEPTH))
                .i32(step(a))
                .i32(step(b))
                .run(across, form.tiles(Shape.rows(out)), Shape.groups(out), SLIM_THREADS, form.shared());
        return true;
    }

    /** Logarithm of how many blocks share the sums of a tile: as many as the device has units for, up to eight. */
    static int parts(long tiles, long steps, int units) {
        int log = 0;
        while (1 << log < MAX_PARTS && tiles << log + 1 <= units && steps >> log + 1 >= MIN_STEPS) {
            log++;
        }
        return log;
    }

    private static int type(Tensor t) {
        return t.dtype() == DType.BF16 ? 1 : 0;
    }

    /** 0 where all products have the same matrix. */
    private static int step(Tensor t) {
        return Shape.groupStride(t) == 0 ? 0 : 1;
    }

    /** Matrices that begin at the address; a copy takes 64 elements of so many rows. */
    private static boolean matrices(Launch launch, long address, Tensor t, int boxRows) {
        boolean dense = t.dtype() == DType.I8;
        long row = dense ? 2 * t.lastDim() : Shape.rowBytes(t);
        long step = dense ? 0 : Shape.groupStride(t) * t.dtype().blockBytes();
        return launch.matrices(
                address,
                dense ? DType.F16 : t.dtype(),
                t,
                row,
                step == 0 ? 1 : Shape.groups(t),
                step == 0 ? row : step,
                DEPTH,
                boxRows);
    }

    private static Launch output(Launch launch, Tensor out, float alpha) {
        return launch.tensor(out)
                .i64(Shape.rows(out))
                .i64(out.lastDim())
                .i64(Operand.stride(out))
                .i64(Shape.groupStride(out))
                .i32(Operand.type(out))
                .f32(alpha);
    }
}
