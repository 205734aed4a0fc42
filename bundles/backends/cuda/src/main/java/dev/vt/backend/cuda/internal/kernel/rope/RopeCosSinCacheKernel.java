package dev.vt.backend.cuda.internal.kernel.rope;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.RangeCheck;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.RopeCosSinCache;
import dev.vt.ops.kernel.RopeFrequencies;
import org.jspecify.annotations.Nullable;

/** {@code rope_cos_sin_cache}: a thread makes the frequency of its pair once and goes over rows. */
final class RopeCosSinCacheKernel implements RopeCosSinCache {
    private final KernelFunction table;

    RopeCosSinCacheKernel(KernelModule module) {
        table = module.function("rope_table");
    }

    @Override
    public Outcome run(
            Queue queue, Tensor cosSin, Tensor positions, RopeFrequencies frequencies, @Nullable Tensor factors) {
        Outcome no = Operand.dense(cosSin);
        no = no != null ? no : Operand.dense(positions);
        no = no != null ? no : Operand.dense(factors);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(cosSin, positions);
            if (factors != null) {
                cuda.uses(factors);
            }
        }
        long rows = cosSin.dim(0);
        long pairs = frequencies.rotaryDim() / 2;
        if (rows > 0) {
            try (Launch launch = cuda.launch(table)) {
                launch.tensor(cosSin)
                        .tensor(positions)
                        .i32(RangeCheck.wide(positions))
                        .optional(factors)
                        .i64(rows);
                // A grid smaller than a row would leave pairs out.
                Heads.frequencies(launch, frequencies)
                        .run(Math.max(Grid.over(rows * pairs), Math.ceilDiv(pairs, Grid.THREADS)), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
