package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;

/** The way from a row of a sequence to a row of a paged cache [blocks,blockSize,...]. Immutable; threads may share it. */
final class PageTable {
    private final String op;
    private final Tensor blockTable;
    private final Ints table;
    private final long blocks;
    private final long blockSize;

    PageTable(String op, Tensor blockTable, Tensor cache) {
        this.op = op;
        this.blockTable = blockTable;
        this.table = new Ints(blockTable);
        this.blocks = cache.dim(0);
        this.blockSize = cache.dim(1);
    }

    long blockSize() {
        return blockSize;
    }

    /** Number of rows that a sequence may have. */
    long capacity() {
        return blockTable.dim(1) * blockSize;
    }

    /** Throws if one of the rows from..to of a sequence, which are below the capacity, is in a block outside the cache. */
    void check(long sequence, long from, long to) {
        for (long b = from / Math.max(1, blockSize); b * blockSize < to; b++) {
            long id = table.get(sequence, b);
            if (id < 0 || id >= blocks) {
                throw Faults.outside(op, "blockTable[" + sequence + "]", blockTable, b, 0, blocks - 1, id);
            }
        }
    }

    /** The cache row of a row of a sequence. */
    long slot(long sequence, long row) {
        return table.get(sequence, row / blockSize) * blockSize + row % blockSize;
    }
}
