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
import dev.vt.ops.kernel.ReshapeAndCache;

/** {@code reshape_and_cache}: all slots are looked at before a row is written. */
final class ReshapeAndCacheKernel implements ReshapeAndCache {
    private final SlotWriter writer;

    ReshapeAndCacheKernel(KernelModule module) {
        writer = new SlotWriter(module, FaultSite.RESHAPE_SLOTS);
    }

    @Override
    public Outcome run(Queue queue, Tensor k, Tensor v, Tensor kCache, Tensor vCache, Tensor slotMapping) {
        Outcome no = Operand.dense(k);
        no = no != null ? no : Operand.dense(v);
        no = no != null ? no : Operand.aligned(kCache);
        no = no != null ? no : Operand.aligned(vCache);
        no = no != null ? no : Operand.dense(slotMapping);
        if (no != null) {
            return no;
        }
        if (k.dim(0) > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(k, v, kCache, vCache, slotMapping);
        }
        writer.write(cuda, k, kCache, v, vCache, 0, slotMapping);
        return Outcome.SERVED;
    }
}
