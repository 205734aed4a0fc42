package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.ReshapeAndCache;

/**
 * {@code reshape_and_cache}: all slots are checked before the first row is written. Two tokens of one slot are written
 * in the order of the tokens.
 */
final class ReshapeAndCacheKernel implements ReshapeAndCache {
    @Override
    public Outcome run(Queue queue, Tensor k, Tensor v, Tensor kCache, Tensor vCache, Tensor slotMapping) {
        if (!Rows.readable(k) || !Rows.readable(v) || !Rows.readable(kCache) || !Rows.readable(vCache)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(k, v, kCache, vCache, slotMapping);
        }
        Rows keys = Rows.of(k);
        Rows values = Rows.of(v);
        Rows keyCache = Rows.of(kCache);
        Rows valueCache = Rows.of(vCache);
        Ints slots = new Ints(slotMapping);
        long tokens = slotMapping.elements();
        long heads = k.dim(1);
        double nanos = heads * (50 + 0.5 * (keys.cols() + values.cols()));
        cpu.submit(workers -> {
            check("reshape_and_cache", slotMapping, kCache.dim(0) * kCache.dim(1) - 1);
            // Spread over heads, not tokens: tokens of one slot must keep their order.
            workers.forRange(heads, Work.grain(tokens * nanos / Math.max(1, heads)), (begin, end) -> {
                float[] scratch = new float[Elementwise.CHUNK];
                for (long t = 0; t < tokens; t++) {
                    long slot = slots.get(t);
                    for (long h = begin; slot >= 0 && h < end; h++) {
                        keys.copy(t * heads + h, 0, keys.cols(), keyCache, slot * heads + h, 0, scratch);
                        values.copy(t * heads + h, 0, values.cols(), valueCache, slot * heads + h, 0, scratch);
                    }
                }
            });
        });
        return Outcome.SERVED;
    }

    /** Throws if a slot lies behind the last one; a negative one is none. */
    static void check(String op, Tensor slotMapping, long last) {
        Ints slots = new Ints(slotMapping);
        for (long t = 0; t < slotMapping.elements(); t++) {
            long slot = slots.get(t);
            if (slot > last) {
                throw Faults.outside(op, "slotMapping", slotMapping, t, 0, last, slot);
            }
        }
    }
}
