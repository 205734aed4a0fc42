package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.AttentionParams;
import dev.vt.ops.kernel.PagedAttention;

/**
 * {@code paged_attention}: for each query row and key/value head, the scores of the whole group of query heads, a
 * stable softmax, then the weighted sum of the values. Key and value rows are read once for a group. Lengths and the
 * blocks that are looked at are checked before anything is written. A row that sees no token becomes zeros; rows that
 * belong to no request are left alone.
 */
final class PagedAttentionKernel implements PagedAttention {
    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            Tensor query,
            Tensor kCache,
            Tensor vCache,
            Tensor blockTable,
            Tensor seqLens,
            Tensor queryStartLoc,
            AttentionParams params) {
        if (!Rows.readable(out) || !Rows.readable(query) || !Rows.readable(kCache) || !Rows.readable(vCache)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, query, kCache, vCache, blockTable, seqLens, queryStartLoc);
        }
        cpu.submit(workers -> {
            AttentionRequests requests =
                    AttentionRequests.read(query, kCache, blockTable, seqLens, queryStartLoc, params);
            long keyHeads = kCache.dim(2);
            long group = keyHeads == 0 ? 0 : query.dim(1) / keyHeads;
            double nanos = 100 + group * query.dim(2) * (10.0 + requests.longest());
            workers.forRange(query.dim(0) * keyHeads, Work.grain(nanos), (begin, end) -> {
                AttentionGroup head = new AttentionGroup(out, query, kCache, vCache, requests, params);
                for (long item = begin; item < end; item++) {
                    head.run(item / keyHeads, item % keyHeads);
                }
            });
        });
        return Outcome.SERVED;
    }
}
