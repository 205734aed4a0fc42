package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Attention;

/** {@code attention}: tiles of query rows of one key head with all query heads that share it. */
final class AttentionKernel implements Attention {
    /** So many query rows read a key row once; more need more scratch. */
    private static final int LANES = 16;

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor query, Tensor key, Tensor value, float scale) {
        if (!Rows.readable(out) || !Rows.readable(query) || !Rows.readable(key) || !Rows.readable(value)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(query) || query.dim(0) > Rows.MAX_COLS) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, query, key, value);
        }
        int tokens = (int) query.dim(0);
        long heads = query.dim(1);
        long keyHeads = key.dim(1);
        int group = keyHeads == 0 ? 0 : Math.toIntExact(heads / keyHeads);
        int tile = Math.max(1, LANES / Math.max(1, group));
        long tiles = Math.ceilDiv(tokens, tile);
        Rows to = Rows.of(out);
        Rows from = Rows.of(query);
        Rows keys = Rows.of(key);
        Rows values = Rows.of(value);
        double nanos = 100 + (double) group * tile * from.cols() * (10.0 + tokens / 2.0);
        cpu.submit(workers -> workers.forRange(tiles * keyHeads, Work.grain(nanos), (begin, end) -> {
            int width = (int) from.cols();
            AttentionLanes lanes = new AttentionLanes(group * tile, width, width, tokens);
            for (long item = begin; item < end; item++) {
                long keyHead = item % keyHeads;
                // From the longest to the shortest, so that no thread ends up with a long one at the end.
                int first = (int) ((tiles - 1 - item / keyHeads) * tile);
                int n = Math.min(tile, tokens - first) * group;
                for (int i = 0; i < n; i++) {
                    int token = first + i / group;
                    lanes.lane(i, from, token * heads + keyHead * group + i % group, token + 1);
                }
                lanes.run(
                        n,
                        (j, row) -> keys.read(j * keyHeads + keyHead, row),
                        (j, row) -> values.read(j * keyHeads + keyHead, row),
                        scale);
                for (int i = 0; i < n; i++) {
                    int token = first + i / group;
                    to.write(token * heads + keyHead * group + i % group, lanes.result(i));
                }
            }
        }));
        return Outcome.SERVED;
    }
}
