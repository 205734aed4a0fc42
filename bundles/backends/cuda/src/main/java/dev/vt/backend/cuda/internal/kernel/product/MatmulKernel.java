package dev.vt.backend.cuda.internal.kernel.product;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.Matmul;

/** {@code matmul} and {@code matmul_bt} in tiles; few rows with a transposed b by a warp an element. */
final class MatmulKernel implements Matmul {
    /** Up to here reading b once for each row costs less than a tile that is mostly empty. */
    private static final long FEW_ROWS = 8;

    private static final int TILE = 64;

    /** The most blocks that a grid has in its second dimension. */
    private static final long MAX_Y = 65535;

    private final KernelFunction tiles;
    private final KernelFunction few;
    private final boolean transposed;

    MatmulKernel(KernelModule module, boolean transposed) {
        this.tiles = module.function("matmul");
        this.few = module.function("matvec_bt");
        this.transposed = transposed;
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
        Outcome no = Operand.rows(b);
        no = no != null ? no : Operand.rows(a);
        no = no != null ? no : Operand.rows(out);
        if (no != null) {
            return no;
        }
        long m = out.dim(0);
        long n = out.dim(1);
        boolean fewRows = transposed && m <= FEW_ROWS;
        long warps = fewRows ? m * n : 0;
        if (Math.ceilDiv(m, TILE) > Grid.MAX || Math.ceilDiv(n, TILE) > MAX_Y || warps / 8 > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, a, b);
        }
        if (m > 0 && n > 0) {
            try (Launch launch = cuda.launch(fewRows ? few : tiles)) {
                arguments(launch, out, a, b);
                if (fewRows) {
                    launch.run(Math.ceilDiv(warps * 32, Grid.THREADS), Grid.THREADS);
                } else {
                    launch.i32(transposed ? 1 : 0).run(Math.ceilDiv(m, TILE), Math.ceilDiv(n, TILE), 256);
                }
            }
        }
        return Outcome.SERVED;
    }

    private static void arguments(Launch launch, Tensor out, Tensor a, Tensor b) {
        launch.tensor(out)
                .tensor(a)
                .tensor(b)
                .i64(out.dim(0))
                .i64(out.dim(1))
                .i64(a.dim(1))
                .i64(Operand.stride(out))
                .i64(Operand.stride(a))
                .i64(Operand.stride(b))
                .i32(Operand.type(out))
                .i32(Operand.type(a))
                .i32(Operand.type(b));
    }
}
