package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeFromCache;
import org.jspecify.annotations.Nullable;

/** {@code rope_from_cache}: all positions are checked before the first head is rotated. */
final class RopeFromCacheKernel implements RopeFromCache {
    @Override
    public Outcome run(
            Queue queue,
            Tensor q,
            @Nullable Tensor k,
            Tensor cosSin,
            Tensor positions,
            boolean interleaved,
            @Nullable MropeSections sections) {
        if (!Rows.readable(q) || (k != null && !Rows.readable(k)) || !Rows.readable(cosSin)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(q, cosSin, positions);
            if (k != null) {
                cpu.uses(k);
            }
        }
        Rows queries = Rows.of(q);
        Rows keys = k == null ? queries : Rows.of(k);
        long keyHeads = k == null ? 0 : k.dim(1);
        Rows table = Rows.of(cosSin);
        Ints at = new Ints(positions);
        long tokens = q.dim(0);
        int rotaryDim = (int) table.cols();
        double nanos = rotaryDim * (1.0 + q.dim(1) + keyHeads);
        cpu.submit(workers -> {
            at.check("rope_from_cache", "positions", 0, positions.elements(), 0, table.rows() - 1);
            workers.forRange(tokens, Work.grain(nanos), (begin, end) -> {
                Rotation rotation = new Rotation(rotaryDim, interleaved);
                for (long t = begin; t < end; t++) {
                    if (sections == null) {
                        rotation.angles(table, at.get(t));
                    } else {
                        rotation.angles(table, at, t, tokens, sections);
                    }
                    rotation.rotate(queries, t, q.dim(1));
                    rotation.rotate(keys, t, keyHeads);
                }
            });
        });
        return Outcome.SERVED;
    }
}
