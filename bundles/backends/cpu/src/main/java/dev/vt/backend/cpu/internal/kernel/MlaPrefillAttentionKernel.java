package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.MlaPrefillAttention;
import org.jspecify.annotations.Nullable;

/**
 * {@code mla_prefill_attention}: tiles of query rows of one sequence and head. The bounds of the sequences are checked before
 * anything is written.
 */
final class MlaPrefillAttentionKernel implements MlaPrefillAttention {
    private static final String OP = "mla_prefill_attention";

    /** So many query rows read a key row once. */
    private static final int TILE = 16;

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Tensor key,
            Tensor value,
            Tensor cuSeqlensQ,
            Tensor cuSeqlensK,
            float scale,
            boolean causal) {
        if (!Rows.readable(out) || !Rows.readable(query) || !Rows.readable(key) || !Rows.readable(value)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(query) || !Rows.fits(value)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, query, key, value, cuSeqlensQ, cuSeqlensK);
            if (lse != null) {
                cpu.uses(lse);
            }
        }
        cpu.submit(workers -> {
            int[] rows = StartLocs.read(OP, "cuSeqlensQ", cuSeqlensQ, query.dim(0));
            int[] keys = StartLocs.read(OP, "cuSeqlensK", cuSeqlensK, key.dim(0));
            Sequences all = new Sequences(rows, keys, causal);
            long heads = query.dim(1);
            double nanos = 100 + TILE * query.dim(2) * (10.0 + all.longest());
            workers.forRange(all.tiles() * heads, Work.grain(nanos), (begin, end) -> {
                Tiles tiles = new Tiles(out, lse, query, key, value, all, scale);
                for (long item = begin; item < end; item++) {
                    tiles.run((int) (item / heads), item % heads);
                }
            });
        });
        return Outcome.SERVED;
    }

    /** The bounds of all sequences, cut into tiles of query rows. Immutable. */
    private static final class Sequences {
        final int[] rows;
        final int[] keys;
        private final boolean causal;
        private final int[] firstTile;

        Sequences(int[] rows, int[] keys, boolean causal) {
            this.rows = rows;
            this.keys = keys;
            this.causal = causal;
            this.firstTile = new int[rows.length];
            for (int r = 1; r < rows.length; r++) {
                firstTile[r] = firstTile[r - 1] + Math.ceilDiv(rows[r] - rows[r - 1], TILE);
            }
        }

        long tiles() {
            return rows.length == 0 ? 0 : firstTile[rows.length - 1];
        }

        int longest() {
            int longest = 0;
            for (int r = 1; r < rows.length; r++) {
                longest = Math.max(longest, keys[r] - keys[r - 1]);
            }
            return longest;
        }

        /** The sequence of a tile. */
        int owner(int tile) {
            int low = 0;
            int high = firstTile.length - 1;
            while (low + 1 < high) {
                int middle = (low + high) >>> 1;
                if (firstTile[middle] <= tile) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        int firstRow(int sequence, int tile) {
            return rows[sequence] + (tile - firstTile[sequence]) * TILE;
        }

        /** How many keys of its sequence a query row sees. */
        int seen(int sequence, int row) {
            int all = keys[sequence + 1] - keys[sequence];
            return causal ? Math.max(0, all - (rows[sequence + 1] - 1 - row)) : all;
        }
    }

    /** Works out tiles; one thread's. */
    private static final class Tiles {
        private final Sequences all;
        private final float scale;
        private final long heads;
        private final Rows out;
        private final @Nullable Rows lse;
        private final Rows query;
        private final Rows key;
        private final Rows value;
        private final AttentionLanes lanes;
        private final float[] log = new float[1];

        Tiles(Tensor out, @Nullable Tensor lse, Tensor query, Tensor key, Tensor value, Sequences all, float scale) {
            this.all = all;
            this.scale = scale;
            this.heads = query.dim(1);
            this.out = Rows.of(out);
            this.lse = lse == null ? null : Rows.of(lse);
            this.query = Rows.of(query);
            this.key = Rows.of(key);
            this.value = Rows.of(value);
            this.lanes = new AttentionLanes(TILE, (int) query.dim(2), (int) value.dim(2), all.longest());
        }

        void run(int tile, long head) {
            int sequence = all.owner(tile);
            int first = all.firstRow(sequence, tile);
            int n = Math.min(TILE, all.rows[sequence + 1] - first);
            for (int i = 0; i < n; i++) {
                lanes.lane(i, query, (first + i) * heads + head, all.seen(sequence, first + i));
            }
            long firstKey = all.keys[sequence];
            lanes.run(
                    n,
                    (j, row) -> key.read((firstKey + j) * heads + head, row),
                    (j, row) -> value.read((firstKey + j) * heads + head, row),
                    scale);
            for (int i = 0; i < n; i++) {
                out.write((first + i) * heads + head, lanes.result(i));
                if (lse != null) {
                    log[0] = lanes.lse(i);
                    lse.write(head, first + i, 1, log, 0);
                }
            }
        }
    }
}
