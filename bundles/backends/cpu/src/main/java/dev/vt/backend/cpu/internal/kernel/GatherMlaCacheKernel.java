package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.GatherMlaCache;
import org.jspecify.annotations.Nullable;

/** {@code gather_mla_cache}: where every row comes from is found and checked before the first is written. */
final class GatherMlaCacheKernel implements GatherMlaCache {
    private static final String OP = "gather_mla_cache";

    @Override
    public Outcome run(
            Queue queue,
            Tensor dst,
            Tensor cache,
            Tensor blockTable,
            Tensor cuSeqLens,
            Tensor tokenToSeq,
            @Nullable Tensor seqStarts) {
        if (!Rows.readable(dst) || !Rows.readable(cache)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(dst, cache, blockTable, cuSeqLens, tokenToSeq);
            if (seqStarts != null) {
                cpu.uses(seqStarts);
            }
        }
        Rows from = Rows.of(cache);
        Rows to = Rows.of(dst);
        cpu.submit(workers -> {
            long[] slots = slots(new PageTable(OP, blockTable, cache), cuSeqLens, tokenToSeq, seqStarts);
            workers.forRange(slots.length, Work.grain(50 + to.cols()), (begin, end) -> {
                float[] scratch = new float[Elementwise.CHUNK];
                for (int t = (int) begin; t < end; t++) {
                    from.copy(slots[t], 0, to.cols(), to, t, 0, scratch);
                }
            });
        });
        return Outcome.SERVED;
    }

    /** The cache row of each row of the output. */
    private static long[] slots(PageTable pages, Tensor cuSeqLens, Tensor tokenToSeq, @Nullable Tensor seqStarts) {
        long[] slots = new long[Math.toIntExact(tokenToSeq.elements())];
        int[] bounds = StartLocs.read(OP, "cuSeqLens", cuSeqLens, slots.length);
        long[] starts = starts(pages, bounds, cuSeqLens, seqStarts);
        Ints owners = new Ints(tokenToSeq);
        owners.check(OP, "tokenToSeq", 0, slots.length, 0, starts.length - 1);
        for (int t = 0; t < slots.length; t++) {
            int s = (int) owners.get(t);
            if (t < bounds[s] || t >= bounds[s + 1]) {
                throw VtException.invalidArgument("op " + OP + " on " + tokenToSeq.device() + ": tokenToSeq[" + t
                        + "]: expected the sequence that cuSeqLens gives row " + t + " to, given " + s
                        + ", which owns rows " + bounds[s] + " to " + bounds[s + 1]);
            }
            slots[t] = pages.slot(s, starts[s] + t - bounds[s]);
        }
        return slots;
    }

    /** The first row that is taken of each sequence; its blocks are those of the table, in the cache. */
    private static long[] starts(PageTable pages, int[] bounds, Tensor cuSeqLens, @Nullable Tensor seqStarts) {
        long[] starts = new long[bounds.length - 1];
        Ints given = seqStarts == null ? null : new Ints(seqStarts);
        for (int s = 0; s < starts.length; s++) {
            int rows = bounds[s + 1] - bounds[s];
            if (rows > pages.capacity()) {
                throw Faults.outside(
                        OP, "cuSeqLens", cuSeqLens, s + 1, bounds[s], bounds[s] + pages.capacity(), bounds[s + 1]);
            }
            if (given != null && seqStarts != null) {
                starts[s] = given.get(s);
                given.check(OP, "seqStarts", s, s + 1, 0, pages.capacity() - rows);
                aligned(seqStarts, s, starts[s], pages.blockSize());
            }
            pages.check(s, starts[s], rows == 0 ? 0 : starts[s] + rows);
        }
        return starts;
    }

    private static void aligned(Tensor seqStarts, int s, long start, long blockSize) {
        if (blockSize > 0 && start % blockSize != 0) {
            throw VtException.invalidArgument("op " + OP + " on " + seqStarts.device() + ": seqStarts[" + s
                    + "]: expected a multiple of the block size " + blockSize + ", given " + start);
        }
    }
}
