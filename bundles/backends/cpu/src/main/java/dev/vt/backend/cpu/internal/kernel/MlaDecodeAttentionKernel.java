package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuWorkers;
import dev.vt.ops.kernel.MlaDecodeAttention;
import org.jspecify.annotations.Nullable;

/**
 * {@code mla_decode_attention}: some heads of a request at a time read its cache rows together. Lengths and the blocks that
 * are looked at are checked before anything is written.
 */
final class MlaDecodeAttentionKernel implements MlaDecodeAttention {
    private static final String OP = "mla_decode_attention";

    /** The most heads that read a row together; fewer where that would leave cores without work. */
    private static final int HEADS = 16;

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Tensor cache,
            Tensor blockTable,
            Tensor seqLens,
            float scale) {
        if (!Rows.readable(out) || !Rows.readable(query) || !Rows.readable(cache)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(query)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, query, cache, blockTable, seqLens);
            if (lse != null) {
                cpu.uses(lse);
            }
        }
        cpu.submit(workers -> {
            PageTable pages = new PageTable(OP, blockTable, cache);
            int[] lengths = lengths(seqLens, pages);
            run(workers, out, lse, query, Rows.of(cache), pages, lengths, scale);
        });
        return Outcome.SERVED;
    }

    private static int[] lengths(Tensor seqLens, PageTable pages) {
        Ints given = new Ints(seqLens);
        int[] lengths = new int[Math.toIntExact(seqLens.elements())];
        given.check(OP, "seqLens", 0, lengths.length, 0, pages.capacity());
        for (int r = 0; r < lengths.length; r++) {
            lengths[r] = (int) given.get(r);
            pages.check(r, 0, lengths[r]);
        }
        return lengths;
    }

    private static void run(
            CpuWorkers workers,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Rows cache,
            PageTable pages,
            int[] lengths,
            float scale) {
        Rows to = Rows.of(out);
        Rows from = Rows.of(query);
        Rows logs = lse == null ? null : Rows.flat(lse);
        long heads = query.dim(1);
        int share = Math.clamp(Math.ceilDiv(lengths.length * heads, workers.parallelism()), 1, HEADS);
        long parts = Math.ceilDiv(heads, share);
        int longest = longest(lengths);
        double nanos = 100 + share * from.cols() * (10.0 + longest);
        workers.forRange(lengths.length * parts, Work.grain(nanos), (begin, end) -> {
            AttentionLanes lanes = new AttentionLanes(share, (int) from.cols(), (int) to.cols(), longest);
            for (long item = begin; item < end; item++) {
                int request = (int) (item / parts);
                long head = item % parts * share;
                int n = (int) Math.min(share, heads - head);
                long first = request * heads + head;
                for (int i = 0; i < n; i++) {
                    lanes.lane(i, from, first + i, lengths[request]);
                }
                lanes.run(
                        n,
                        (j, row) -> cache.read(pages.slot(request, j), row),
                        (j, row) -> cache.read(pages.slot(request, j), 0, row.length, row, 0),
                        scale);
                store(lanes, n, to, logs, first);
            }
        });
    }

    private static int longest(int[] lengths) {
        int longest = 0;
        for (int n : lengths) {
            longest = Math.max(longest, n);
        }
        return longest;
    }

    private static void store(AttentionLanes lanes, int n, Rows to, @Nullable Rows logs, long first) {
        float[] log = new float[1];
        for (int i = 0; i < n; i++) {
            to.write(first + i, lanes.result(i));
            if (logs != null) {
                log[0] = lanes.lse(i);
                logs.write(0, first + i, 1, log, 0);
            }
        }
    }
}
