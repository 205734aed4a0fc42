package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.MlaPrefillAttention;
import org.jspecify.annotations.Nullable;

/** {@code mla_prefill_attention}: a launch looks at the bounds of sequences, then a block of threads takes 16 rows of a head. */
final class MlaPrefillAttentionKernel implements MlaPrefillAttention {
    private final TileFunctions functions;
    private final KernelFunction check;

    MlaPrefillAttentionKernel(KernelModule module) {
        functions = new TileFunctions(module, "sequences");
        check = module.function("check_sequences");
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Tensor key,
            Tensor value,
            Tensor cuSeqlensQ,
            Tensor cuSeqlensK,
            float scale,
            boolean causal) {
        Outcome no = decline(out, lse, query, key, value);
        no = no != null ? no : Operand.dense(cuSeqlensQ);
        no = no != null ? no : Operand.dense(cuSeqlensK);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, query, key, value, cuSeqlensQ, cuSeqlensK);
            if (lse != null) {
                cuda.uses(lse);
            }
        }
        check(cuda, query, key, cuSeqlensQ, cuSeqlensK);
        if (cuSeqlensQ.dim(0) > 1 && query.dim(0) > 0 && query.dim(1) > 0) {
            attend(cuda, out, lse, query, key, value, cuSeqlensQ, cuSeqlensK, scale, causal);
        }
        return Outcome.SERVED;
    }

    private void check(LaunchQueue cuda, Tensor query, Tensor key, Tensor cuSeqlensQ, Tensor cuSeqlensK) {
        try (Launch launch = cuda.launch(check)) {
            launch.tensor(cuSeqlensQ)
                    .i32((int) query.dim(0))
                    .i32(FaultSite.SEQUENCE_ROWS.number())
                    .tensor(cuSeqlensK)
                    .i32((int) key.dim(0))
                    .i32(FaultSite.SEQUENCE_KEYS.number())
                    .i32((int) cuSeqlensQ.dim(0))
                    .run(1, Grid.THREADS);
        }
    }

    private void attend(
            LaunchQueue cuda,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Tensor key,
            Tensor value,
            Tensor cuSeqlensQ,
            Tensor cuSeqlensK,
            float scale,
            boolean causal) {
        long rows = query.dim(0);
        long heads = query.dim(1);
        long width = query.dim(2);
        long valueWidth = value.dim(2);
        int sequences = (int) cuSeqlensQ.dim(0) - 1;
        try (Launch launch = cuda.launch(functions.of(valueWidth))) {
            launch.tensor(out).i32(Operand.type(out)).optional(lse);
            TileFunctions.matrix(launch, query, width);
            TileFunctions.matrix(launch, key, width);
            TileFunctions.matrix(launch, value, valueWidth)
                    .tensor(cuSeqlensQ)
                    .tensor(cuSeqlensK)
                    .i32(sequences)
                    .i64(rows)
                    .i32((int) heads)
                    .i32((int) width)
                    .i32((int) valueWidth)
                    .f32(scale)
                    .i32(causal ? 1 : 0)
                    .run(
                            rows / TileFunctions.ROWS + sequences,
                            heads,
                            1,
                            TileFunctions.THREADS,
                            TileFunctions.bytes(width, valueWidth, false));
        }
    }

    private static @Nullable Outcome decline(Tensor out, @Nullable Tensor lse, Tensor query, Tensor key, Tensor value) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(lse);
        no = no != null ? no : Operand.dense(query);
        no = no != null ? no : Operand.dense(key);
        no = no != null ? no : Operand.dense(value);
        if (no == null && Math.max(query.dim(0), key.dim(0)) > Integer.MAX_VALUE / 2) {
            return Declines.MANY_ROWS;
        }
        return no != null ? no : TileFunctions.decline(query.dim(1), query.dim(2), value.dim(2), false);
    }
}
