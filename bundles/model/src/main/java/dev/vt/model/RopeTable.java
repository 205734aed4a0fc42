package dev.vt.model;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cosines and sines of all positions that a workspace may see, [positions, rotaryDim]; computed once on the device.
 * Owned by a workspace; the table is ready after the queue's work.
 */
final class RopeTable implements AutoCloseable {
    private final Memory memory;
    private final Tensor cosSin;

    RopeTable(Backend backend, Ops ops, Queue queue, ModelConfig config, @Nullable Tensor factors, int positions) {
        int rotary = config.rope().rotaryDim();
        memory = backend.allocate(Tensor.bytes(DType.F32, positions, rotary));
        cosSin = Tensor.of(memory, DType.F32, positions, rotary);
        try (Memory numbers = backend.allocate(Tensor.bytes(DType.I32, positions))) {
            int[] all = new int[positions];
            Arrays.setAll(all, i -> i);
            backend.upload(queue, numbers, 0, MemorySegment.ofArray(all));
            ops.ropeCosSinCache(queue, cosSin, Tensor.of(numbers, DType.I32, positions), config.rope(), factors);
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    Tensor cosSin() {
        return cosSin;
    }

    @Override
    public void close() {
        memory.close();
    }
}
