package dev.vt.backend.cuda.internal.kernel.move;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.BlockTypes;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.kernel.support.RangeCheck;
import dev.vt.backend.cuda.internal.kernel.support.Variants;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.Embedding;
import java.util.EnumMap;
import java.util.Map;

/**
 * {@code embedding}: of few ids each block looks at all before it writes; of many, one kernel looks at them, and the next one writes
 * rows unless an id was wrong.
 */
final class EmbeddingKernel implements Embedding {
    /** Up to here looking at all ids costs a block less than one more kernel. */
    private static final long FEW = 1024;

    private final RangeCheck check = new RangeCheck(FaultSite.EMBEDDING_IDS);
    private final Variants variants;
    private final Map<DType, KernelFunction> blocks = new EnumMap<>(DType.class);

    EmbeddingKernel(KernelModule module, KernelModule encoded) {
        variants = new Variants(module, "embedding");
        for (DType type : BlockTypes.ALL) {
            blocks.put(type, encoded.function("embedding_" + BlockTypes.name(type)));
        }
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor table, Tensor ids) {
        Outcome no = blocks.containsKey(table.dtype()) ? BlockTypes.decline(table) : Operand.dense(table);
        no = no != null ? no : Operand.dense(out);
        no = no != null ? no : Operand.dense(ids);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, table, ids);
        }
        if (ids.elements() > 0) {
            launch(cuda, out, table, ids);
        }
        return Outcome.SERVED;
    }

    private void launch(LaunchQueue cuda, Tensor out, Tensor table, Tensor ids) {
        KernelFunction encoded = blocks.get(table.dtype());
        boolean few = encoded == null && ids.elements() <= FEW && out.elements() > 0;
        if (!few) {
            check.launch(cuda, ids, 0, table.dim(0) - 1);
        }
        if (out.elements() == 0) {
            return;
        }
        if (encoded == null) {
            plain(cuda, out, table, ids, few);
        } else {
            encoded(cuda, encoded, out, table, ids);
        }
    }

    private void plain(LaunchQueue cuda, Tensor out, Tensor table, Tensor ids, boolean few) {
        long n = out.elements();
        boolean packed = Packs.aligned(out) && Packs.aligned(table) && Packs.whole(table.dim(1));
        try (Launch launch = cuda.launch(variants.of(table, out))) {
            launch.tensor(out)
                    .tensor(table)
                    .tensor(ids)
                    .i32(RangeCheck.wide(ids))
                    .i64(n)
                    .i64(table.dim(1))
                    .i64(few ? ids.elements() : 0)
                    .i64(table.dim(0) - 1)
                    .i32(check.number())
                    .i32(packed ? 1 : 0)
                    .run(Grid.over(n, Packs.of(table, out), packed), Grid.THREADS);
        }
    }

    private static void encoded(LaunchQueue cuda, KernelFunction function, Tensor out, Tensor table, Tensor ids) {
        long n = out.elements();
        try (Launch launch = cuda.launch(function)) {
            launch.tensor(out)
                    .i32(Operand.type(out))
                    .tensor(table)
                    .tensor(ids)
                    .i32(RangeCheck.wide(ids))
                    .i64(n)
                    .i64(table.dim(1))
                    .run(Grid.over(n / 4), Grid.THREADS);
        }
    }
}
