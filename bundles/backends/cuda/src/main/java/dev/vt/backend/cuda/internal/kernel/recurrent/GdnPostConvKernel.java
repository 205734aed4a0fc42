package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.RowLanes;
import dev.vt.backend.cuda.internal.kernel.support.Widths;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.GdnPostConv;
import org.jspecify.annotations.Nullable;

/** {@code gdn_post_conv}: one launch, by the arithmetic of the three ops that it joins. */
final class GdnPostConvKernel implements GdnPostConv {
    private static final int WIDTH = 4;

    private static final int THREADS = 128;

    private static final int WARP = 32;

    private final KernelFunction function;

    GdnPostConvKernel(KernelModule module) {
        function = module.function("gdn_post_conv");
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor x,
            Tensor a,
            Tensor b,
            Tensor aLog,
            Tensor dtBias,
            float eps) {
        Outcome no = declined(q, k, v, x);
        no = no != null ? no : GateOperands.declined(g, beta, a, b, aLog, dtBias);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(q, k, v, g, beta, x, a, b, aLog, dtBias);
        }
        if (x.dim(0) > 0) {
            try (Launch launch = cuda.launch(function)) {
                launch.tensor(q).tensor(k).tensor(v).tensor(g).tensor(beta).tensor(x);
                GateOperands.put(launch, a, b, aLog, dtBias);
                start(launch, q, k, v, x, eps);
            }
        }
        return Outcome.SERVED;
    }

    private static @Nullable Outcome declined(Tensor q, Tensor k, Tensor v, Tensor x) {
        Outcome no = Operand.dense(q);
        no = no != null ? no : Operand.dense(k);
        no = no != null ? no : Operand.dense(v);
        return no != null ? no : Operand.dense(x);
    }

    private static void start(Launch launch, Tensor q, Tensor k, Tensor v, Tensor x, float eps) {
        long width = q.dim(2);
        int lanes = RowLanes.of(width);
        int threads = lanes > WARP ? lanes : THREADS;
        boolean aligned = Widths.fits(x, WIDTH);
        boolean packed = aligned && Widths.fits(q, WIDTH) && Widths.fits(k, WIDTH) && RowLanes.kept(width);
        long units = Math.ceilDiv(2 * q.dim(1), threads / lanes);
        long values = Math.ceilDiv(v.dim(1) * v.dim(2), (long) threads * WIDTH);
        launch.i64(x.dim(0))
                .i64(q.dim(1))
                .i64(v.dim(1))
                .i64(width)
                .i64(v.dim(2))
                .f32(eps)
                .i32(lanes)
                .i32(packed ? 1 : 0)
                .i32(aligned && Widths.fits(v, WIDTH) && 2 * q.dim(1) * width % WIDTH == 0 ? 1 : 0)
                .run(units + values + 1, Math.min(x.dim(0), Grid.MAX_Y), threads);
    }
}
