package dev.vt.backend.cuda.internal.kernel.move;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.ops.OpTable;

/** The list of the kernels that move rows. */
public final class MoveKernels {
    private MoveKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        KernelModule source = Sources.of("move.cu");
        QkvSplitKernel split = new QkvSplitKernel(source);
        kernels.put(OpTable.EMBEDDING, new EmbeddingKernel(source, Sources.of("embedding_blocks.cu")))
                .put(OpTable.GDN_CONV_SPLIT, split)
                .put(OpTable.QKV_SPLIT, split);
    }
}
