package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import org.jspecify.annotations.Nullable;

/** The launch that makes an output of what the parts of the work have left in scratch memory. Immutable. */
final class PartsMerge {
    private static final int THREADS = 256;

    /** Columns that a thread takes at once. */
    private static final int WIDTH = 4;

    private final KernelFunction single;
    private final KernelFunction wide;

    PartsMerge() {
        KernelModule module = Sources.of("paged_merge.cu");
        single = module.function("paged_merge_1");
        wide = module.function("paged_merge_" + WIDTH);
    }

    /** Writes out[rows,heads,dim], and lse[rows,heads] where wanted; a launch that has the scratch memory must be open. */
    void launch(LaunchQueue cuda, Tensor out, @Nullable Tensor lse, int parts) {
        long rows = out.dim(0);
        long heads = out.dim(1);
        long dim = out.dim(2);
        boolean fours = dim % WIDTH == 0 && Operand.at16(out, 0);
        try (Launch launch = cuda.launch(fours ? wide : single)) {
            launch.tensor(out)
                    .i32(Operand.type(out))
                    .optional(lse)
                    .scratch(0)
                    .i64(rows)
                    .i32((int) heads)
                    .i32(parts)
                    .i32((int) dim)
                    .run(rows * heads, THREADS);
        }
    }
}
