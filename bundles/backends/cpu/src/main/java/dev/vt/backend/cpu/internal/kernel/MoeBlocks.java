package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.VtException;
import dev.vt.api.tensor.Tensor;
import java.util.Arrays;

/**
 * Rows grouped into blocks of one expert each, the way that block-wise expert products take them. Reads the tensors each
 * time it is asked, so that a replay sees what they hold then.
 */
final class MoeBlocks {
    private final Tensor idsTensor;
    private final Tensor countTensor;
    private final Ints ids;
    private final Ints experts;
    private final Ints padded;
    private final int blockSize;

    MoeBlocks(Tensor sortedTokenIds, Tensor expertIds, Tensor numTokensPostPadded, int blockSize) {
        this.idsTensor = sortedTokenIds;
        this.countTensor = numTokensPostPadded;
        this.ids = new Ints(sortedTokenIds);
        this.experts = new Ints(expertIds);
        this.padded = new Ints(numTokensPostPadded);
        this.blockSize = blockSize;
    }

    /** Throws unless the count is whole blocks that are there, each of a known expert or -1, with no negative row. */
    void check(String op, long expertCount) {
        long n = padded.get(0);
        padded.check(op, "numTokensPostPadded", 0, 1, 0, idsTensor.elements());
        if (n % blockSize != 0) {
            throw VtException.invalidArgument("op " + op + " on " + countTensor.device()
                    + ": numTokensPostPadded[0]: expected a multiple of " + blockSize + ", given " + n);
        }
        experts.check(op, "expertIds", 0, n / blockSize, -1, expertCount - 1);
        ids.check(op, "sortedTokenIds", 0, n, 0, Integer.MAX_VALUE);
    }

    /** How many blocks there are. */
    long count() {
        return padded.get(0) / blockSize;
    }

    /** The expert of a block, or -1. */
    long expert(long block) {
        return experts.get(block);
    }

    /** The rows that the entries of some blocks name; those from {@code limit} on are padding. */
    long[] rows(long firstBlock, long endBlock, long limit) {
        long[] rows = new long[(int) ((endBlock - firstBlock) * blockSize)];
        int n = 0;
        for (long i = firstBlock * blockSize; i < endBlock * blockSize; i++) {
            if (ids.get(i) < limit) {
                rows[n++] = ids.get(i);
            }
        }
        return Arrays.copyOf(rows, n);
    }
}
