package dev.vt.backend.cuda.internal.kernel.cache;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.ConcatAndCacheMla;

/** {@code concat_and_cache_mla}: all slots are looked at before a row is written. */
final class ConcatAndCacheMlaKernel implements ConcatAndCacheMla {
    private static final Outcome TWO_TYPES = Outcome.declined("kvC and kPe are of different types");

    private final SlotWriter writer;

    ConcatAndCacheMlaKernel(KernelModule module) {
        writer = new SlotWriter(module, FaultSite.LATENT_SLOTS);
    }

    @Override
    public Outcome run(Queue queue, Tensor kvC, Tensor kPe, Tensor cache, Tensor slotMapping) {
        Outcome no = Operand.dense(kvC);
        no = no != null ? no : Operand.dense(kPe);
        no = no != null ? no : Operand.aligned(cache);
        no = no != null ? no : Operand.dense(slotMapping);
        if (no != null) {
            return no;
        }
        if (kvC.dtype() != kPe.dtype()) {
            return TWO_TYPES;
        }
        if (kvC.dim(0) > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(kvC, kPe, cache, slotMapping);
        }
        writer.write(cuda, kvC, cache, kPe, cache, kvC.dim(1), slotMapping);
        return Outcome.SERVED;
    }
}
