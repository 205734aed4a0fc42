package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that changes logits which two vectors name. A few places are one block's, which looks at all of them before it writes; for
 * more there is a launch that only looks. Immutable.
 */
final class LogitPlaces {
    /** Places that are one block's. */
    private static final long FEW = 2048;

    private static final int WARP = 32;

    private final KernelFunction check;
    private final KernelFunction function;
    private final int site;

    /** {@code rows} is the site of a wrong row; that of a wrong column comes next. */
    LogitPlaces(KernelModule module, String name, FaultSite rows) {
        check = module.function("check_places");
        function = module.function(name);
        site = rows.number();
    }

    static @Nullable Outcome declined(Tensor logits, Tensor rows, Tensor cols, @Nullable Tensor bias) {
        Outcome no = Operand.dense(logits);
        no = no != null ? no : Operand.dense(rows);
        no = no != null ? no : Operand.dense(cols);
        return no != null ? no : Operand.dense(bias);
    }

    void run(LaunchQueue cuda, Tensor logits, Tensor rows, Tensor cols, @Nullable Tensor bias) {
        long count = rows.elements();
        if (count == 0) {
            return;
        }
        boolean few = count <= FEW;
        if (!few) {
            try (Launch launch = cuda.launch(check)) {
                end(launch.tensor(rows).tensor(cols), logits, count, site).run(1, Rows.BLOCK);
            }
        }
        try (Launch launch = cuda.launch(function)) {
            launch.tensor(logits).tensor(rows).tensor(cols);
            if (bias != null) {
                launch.tensor(bias);
            }
            end(launch, logits, count, few ? site : 0)
                    .run(few ? 1 : Grid.over(count), few ? threads(count) : Grid.THREADS);
        }
    }

    /** As many threads as there are places, in whole warps. */
    private static int threads(long count) {
        return (int) Math.min(Rows.BLOCK, Math.ceilDiv(count, WARP) * WARP);
    }

    private static Launch end(Launch launch, Tensor logits, long count, int site) {
        return launch.i64(count).i64(logits.dim(0)).i64(logits.dim(1)).i32(site);
    }
}
