package dev.vt.backend.cuda.internal.kernel.move;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.BlockTypes;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Variants;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.Embedding;
import java.util.EnumMap;
import java.util.Map;

/** {@code embedding}: one kernel looks at all ids, the next one writes rows unless an id was wrong. */
final class EmbeddingKernel implements Embedding {
    private final KernelFunction check;
    private final Variants variants;
    private final Map<DType, KernelFunction> blocks = new EnumMap<>(DType.class);

    EmbeddingKernel(KernelModule module, KernelModule encoded) {
        check = module.function("check_range");
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
        int wide = ids.dtype() == DType.I64 ? 1 : 0;
        try (Launch launch = cuda.launch(check)) {
            launch.tensor(ids)
                    .i32(wide)
                    .i64(ids.elements())
                    .i64(0)
                    .i64(table.dim(0) - 1)
                    .i32(FaultSite.EMBEDDING_IDS.number())
                    .run(1, Grid.ROW_THREADS);
        }
        KernelFunction encoded = blocks.get(table.dtype());
        long n = out.elements();
        if (n > 0) {
            try (Launch launch = cuda.launch(encoded == null ? variants.of(table, out) : encoded)) {
                launch.tensor(out);
                if (encoded != null) {
                    launch.i32(Operand.type(out));
                }
                launch.tensor(table)
                        .tensor(ids)
                        .i32(wide)
                        .i64(n)
                        .i64(table.dim(1))
                        .run(Grid.over(encoded == null ? n : n / 4), Grid.THREADS);
            }
        }
    }
}
