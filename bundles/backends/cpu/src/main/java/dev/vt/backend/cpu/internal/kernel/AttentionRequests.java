package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.AttentionParams;
import java.util.Arrays;

/** The requests of one attention call, read from its integer operands and checked. Immutable once read. */
final class AttentionRequests {
    private static final String OP = "paged_attention";

    private final Ints table;
    private final long blockSize;
    private final AttentionParams params;
    private final int[] lengths;
    private final int[] starts;
    private final int[] owner;
    private int longest;

    private AttentionRequests(int requests, int tokens, Ints table, long blockSize, AttentionParams params) {
        this.table = table;
        this.blockSize = blockSize;
        this.params = params;
        this.lengths = new int[requests];
        this.starts = new int[requests + 1];
        this.owner = new int[tokens];
    }

    static AttentionRequests read(
            Tensor query,
            Tensor cache,
            Tensor blockTable,
            Tensor seqLens,
            Tensor queryStartLoc,
            AttentionParams params) {
        int requests = Math.toIntExact(seqLens.elements());
        int tokens = Math.toIntExact(query.dim(0));
        AttentionRequests r =
                new AttentionRequests(requests, tokens, new Ints(blockTable), Math.max(1, cache.dim(1)), params);
        r.readStarts(queryStartLoc, tokens);
        r.readLengths(seqLens, blockTable.dim(1) * cache.dim(1));
        r.checkBlocks(blockTable, cache.dim(0));
        return r;
    }

    /** Number of tokens that the longest request sees. */
    int longest() {
        return longest;
    }

    /** The request of a query row, or -1. */
    int owner(long token) {
        return owner[(int) token];
    }

    /** First token that a query row sees. */
    int from(int request, long token) {
        int window = params.window();
        return window == 0 ? 0 : (int) Math.max(0, (long) position(request, token) + 1 - window);
    }

    /** One more than the last token that a query row sees. */
    int to(int request, long token) {
        return params.causal() ? position(request, token) + 1 : lengths[request];
    }

    /** The cache slot of a token. */
    long slot(int request, int token) {
        return table.get(request, token / blockSize) * blockSize + token % blockSize;
    }

    /** The last row of a request is its last token. */
    private int position(int request, long token) {
        return lengths[request] - (starts[request + 1] - (int) token);
    }

    private void readStarts(Tensor queryStartLoc, int tokens) {
        Ints given = new Ints(queryStartLoc);
        Arrays.fill(owner, -1);
        int previous = 0;
        for (int r = 0; r < starts.length; r++) {
            given.check(OP, "queryStartLoc", r, r + 1, previous, tokens);
            starts[r] = (int) given.get(r);
            if (r > 0) {
                Arrays.fill(owner, previous, starts[r], r - 1);
            }
            previous = starts[r];
        }
    }

    private void readLengths(Tensor seqLens, long capacity) {
        Ints given = new Ints(seqLens);
        given.check(OP, "seqLens", 0, lengths.length, 0, capacity);
        for (int r = 0; r < lengths.length; r++) {
            lengths[r] = (int) given.get(r);
            longest = Math.max(longest, starts[r + 1] > starts[r] ? lengths[r] : 0);
        }
    }

    /** Blocks before a window may have been given back, so only what is looked at is checked. */
    private void checkBlocks(Tensor blockTable, long blocks) {
        for (int r = 0; r < lengths.length; r++) {
            if (starts[r] == starts[r + 1]) {
                continue;
            }
            for (long b = from(r, starts[r]) / blockSize; b * blockSize < lengths[r]; b++) {
                long id = table.get(r, b);
                if (id < 0 || id >= blocks) {
                    throw Faults.outside(OP, "blockTable[" + r + "]", blockTable, b, 0, blocks - 1, id);
                }
            }
        }
    }
}
