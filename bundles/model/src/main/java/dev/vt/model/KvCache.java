package dev.vt.model;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The paged cache of keys and values: for each layer of full attention two tensors [blocks, 16, kv heads, head size], and one list of
 * free blocks that holds for all layers, since a sequence uses the same block numbers in each. Owned by a workspace;
 * one thread at a time. It never moves data: a block belongs to one sequence until that is closed.
 */
final class KvCache implements AutoCloseable {
    /** Tokens of a block. */
    static final int BLOCK_SIZE = 16;

    private final List<Memory> memory = new ArrayList<>();
    private final List<@Nullable Tensor> keys = new ArrayList<>();
    private final List<@Nullable Tensor> values = new ArrayList<>();
    private final int[] free;
    private int freeCount;

    KvCache(Backend backend, ModelConfig config, DType dtype, int blocks) {
        long[] shape = {blocks, BLOCK_SIZE, config.kvHeads(), config.headSize()};
        try {
            for (int layer = 0; layer < config.layers(); layer++) {
                boolean kept = config.fullAttention(layer);
                keys.add(kept ? allocate(backend, dtype, shape) : null);
                values.add(kept ? allocate(backend, dtype, shape) : null);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        free = new int[blocks];
        for (int i = 0; i < blocks; i++) {
            free[i] = blocks - 1 - i;
        }
        freeCount = blocks;
    }

    private Tensor allocate(Backend backend, DType dtype, long[] shape) {
        Memory block = backend.allocate(Tensor.bytes(dtype, shape));
        memory.add(block);
        return Tensor.of(block, dtype, shape);
    }

    /** Blocks that a number of tokens takes. */
    static int blocksFor(int tokens) {
        return Math.ceilDiv(tokens, BLOCK_SIZE);
    }

    Tensor keys(int layer) {
        return Objects.requireNonNull(keys.get(layer));
    }

    Tensor values(int layer) {
        return Objects.requireNonNull(values.get(layer));
    }

    int blocks() {
        return free.length;
    }

    int freeBlocks() {
        return freeCount;
    }

    /** Takes {@code count} blocks into {@code into} from {@code at} on: all of them, or none and an error. */
    void take(int count, int[] into, int at) {
        if (count > freeCount) {
            throw new VtException(
                    ErrorCode.OUT_OF_MEMORY,
                    "generate: the cache has " + freeCount + " free blocks of " + BLOCK_SIZE + " tokens, " + count
                            + " are needed");
        }
        for (int i = 0; i < count; i++) {
            into[at + i] = free[--freeCount];
        }
    }

    void giveBack(int block) {
        free[freeCount++] = block;
    }

    @Override
    public void close() {
        memory.forEach(Memory::close);
    }
}
