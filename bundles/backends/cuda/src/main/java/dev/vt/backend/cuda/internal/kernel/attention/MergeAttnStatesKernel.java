package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.MergeAttnStates;
import org.jspecify.annotations.Nullable;

/** {@code merge_attn_states}: 8 elements of a head a thread, or one. */
final class MergeAttnStatesKernel implements MergeAttnStates {
    private static final Outcome NO_COLUMNS = Outcome.declined("heads without an element have no thread for their lse");

    private static final int WIDTH = 8;

    private final KernelFunction single;
    private final KernelFunction wide;

    MergeAttnStatesKernel(KernelModule module) {
        single = module.function("merge_states_1");
        wide = module.function("merge_states_" + WIDTH);
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            @Nullable Tensor outLse,
            Tensor prefix,
            Tensor prefixLse,
            Tensor suffix,
            Tensor suffixLse) {
        Outcome no = decline(out, outLse, prefix, prefixLse, suffix, suffixLse);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, prefix, prefixLse, suffix, suffixLse);
            if (outLse != null) {
                cuda.uses(outLse);
            }
        }
        long n = out.elements();
        if (n > 0) {
            boolean whole = out.dim(2) % WIDTH == 0
                    && Operand.at16(out, 0)
                    && Operand.at16(prefix, 0)
                    && Operand.at16(suffix, 0);
            long packs = whole ? n / WIDTH : n;
            try (Launch launch = cuda.launch(whole ? wide : single)) {
                launch.tensor(out)
                        .i32(Operand.type(out))
                        .optional(outLse)
                        .tensor(prefix)
                        .i32(Operand.type(prefix))
                        .tensor(prefixLse)
                        .tensor(suffix)
                        .i32(Operand.type(suffix))
                        .tensor(suffixLse)
                        .i64(packs)
                        .i64(out.dim(0))
                        .i32((int) out.dim(1))
                        .i32((int) out.dim(2))
                        .run(Grid.over(packs), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }

    private static @Nullable Outcome decline(
            Tensor out, @Nullable Tensor outLse, Tensor prefix, Tensor prefixLse, Tensor suffix, Tensor suffixLse) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(outLse);
        no = no != null ? no : Operand.dense(prefix);
        no = no != null ? no : Operand.dense(prefixLse);
        no = no != null ? no : Operand.dense(suffix);
        no = no != null ? no : Operand.dense(suffixLse);
        return no == null && out.dim(2) == 0 && outLse != null && outLse.elements() > 0 ? NO_COLUMNS : no;
    }
}
