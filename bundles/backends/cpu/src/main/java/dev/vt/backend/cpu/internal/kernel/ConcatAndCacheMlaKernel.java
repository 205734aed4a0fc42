package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.ConcatAndCacheMla;

/**
 * {@code concat_and_cache_mla}: all slots are checked before the first row is written. Two tokens of one slot are written in
 * the order of the tokens.
 */
final class ConcatAndCacheMlaKernel implements ConcatAndCacheMla {
    private static final String OP = "concat_and_cache_mla";

    @Override
    public Outcome run(Queue queue, Tensor kvC, Tensor kPe, Tensor cache, Tensor slotMapping) {
        if (!Rows.readable(kvC) || !Rows.readable(kPe) || !Rows.readable(cache)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(kvC, kPe, cache, slotMapping);
        }
        Rows latent = Rows.of(kvC);
        Rows rotated = Rows.of(kPe);
        Rows to = Rows.of(cache);
        Ints slots = new Ints(slotMapping);
        long tokens = slotMapping.elements();
        cpu.submit(workers -> {
            ReshapeAndCacheKernel.check(OP, slotMapping, cache.dim(0) * cache.dim(1) - 1);
            // Spread over columns, not tokens: tokens of one slot must keep their order.
            workers.forRange(to.cols(), Work.grain(tokens), (begin, end) -> {
                float[] scratch = new float[Elementwise.CHUNK];
                for (long t = 0; t < tokens; t++) {
                    long slot = slots.get(t);
                    if (slot >= 0) {
                        part(latent, t, 0, to, slot, begin, end, scratch);
                        part(rotated, t, latent.cols(), to, slot, begin, end, scratch);
                    }
                }
            });
        });
        return Outcome.SERVED;
    }

    /** Copies what columns begin..end of a cache row have of {@code from}, whose column 0 goes to column {@code at}. */
    private static void part(Rows from, long row, long at, Rows to, long slot, long begin, long end, float[] scratch) {
        long first = Math.max(begin, at);
        long last = Math.min(end, at + from.cols());
        if (first < last) {
            from.copy(row, first - at, last - first, to, slot, first, scratch);
        }
    }
}
