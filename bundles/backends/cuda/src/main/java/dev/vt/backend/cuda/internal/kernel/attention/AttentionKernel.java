package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.Attention;
import org.jspecify.annotations.Nullable;

/** {@code attention}: a block of threads takes 16 rows of a head. */
final class AttentionKernel implements Attention {
    private final TileFunctions functions;

    AttentionKernel(KernelModule module) {
        functions = new TileFunctions(module, "attention");
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor query, Tensor key, Tensor value, float scale) {
        Outcome no = decline(out, query, key, value);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, query, key, value);
        }
        if (out.elements() > 0) {
            long tokens = query.dim(0);
            long heads = query.dim(1);
            long width = query.dim(2);
            try (Launch launch = cuda.launch(functions.of(width))) {
                launch.tensor(out).i32(Operand.type(out));
                TileFunctions.matrix(launch, query, width);
                TileFunctions.matrix(launch, key, width);
                TileFunctions.matrix(launch, value, width)
                        .i32((int) tokens)
                        .i32((int) heads)
                        .i32((int) key.dim(1))
                        .i32((int) width)
                        .f32(scale)
                        .run(
                                Math.ceilDiv(tokens, TileFunctions.ROWS),
                                heads,
                                1,
                                TileFunctions.THREADS,
                                TileFunctions.bytes(width, width, false));
            }
        }
        return Outcome.SERVED;
    }

    private static @Nullable Outcome decline(Tensor out, Tensor query, Tensor key, Tensor value) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(query);
        no = no != null ? no : Operand.dense(key);
        no = no != null ? no : Operand.dense(value);
        if (no == null && query.dim(0) > Integer.MAX_VALUE / 2) {
            return Declines.MANY_ROWS;
        }
        return no != null ? no : TileFunctions.decline(query.dim(1), query.dim(2), query.dim(2), false);
    }
}
