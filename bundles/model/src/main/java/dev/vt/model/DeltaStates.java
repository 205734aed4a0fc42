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
 * What layers of linear attention keep of a sequence, however long it is: for each such layer the last inputs of the
 * convolution [slots, channels, taps - 1] and the delta rule's state [slots, value heads, value size, key size], in f32.
 * A sequence has the same slot in each. Owned by a workspace; one thread at a time. It never clears a slot: a sequence
 * that begins does not read its own.
 */
final class DeltaStates implements AutoCloseable {
    private final List<Memory> memory = new ArrayList<>();
    private final List<@Nullable Tensor> inputs = new ArrayList<>();
    private final List<@Nullable Tensor> states = new ArrayList<>();
    private final int[] free;
    private int freeCount;

    DeltaStates(Backend backend, LinearAttention linear, int layers, int slots) {
        try {
            for (int layer = 0; layer < layers; layer++) {
                boolean kept = linear.at(layer);
                inputs.add(kept ? allocate(backend, slots, linear.channels(), linear.taps() - 1) : null);
                states.add(
                        kept
                                ? allocate(backend, slots, linear.valueHeads(), linear.valueSize(), linear.keySize())
                                : null);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        free = new int[slots];
        for (int i = 0; i < slots; i++) {
            free[i] = slots - 1 - i;
        }
        freeCount = slots;
    }

    private Tensor allocate(Backend backend, long... shape) {
        Memory block = backend.allocate(Tensor.bytes(DType.F32, shape));
        memory.add(block);
        return Tensor.of(block, DType.F32, shape);
    }

    /** The last inputs of a layer's convolution. */
    Tensor inputs(int layer) {
        return Objects.requireNonNull(inputs.get(layer));
    }

    /** The states of a layer's delta rule. */
    Tensor states(int layer) {
        return Objects.requireNonNull(states.get(layer));
    }

    int freeSlots() {
        return freeCount;
    }

    /** Takes a slot, or throws. */
    int take() {
        if (freeCount == 0) {
            throw new VtException(
                    ErrorCode.OUT_OF_MEMORY,
                    "generate: expected a free state of " + free.length + " for a further sequence, given none");
        }
        return free[--freeCount];
    }

    void giveBack(int slot) {
        free[freeCount++] = slot;
    }

    @Override
    public void close() {
        memory.forEach(Memory::close);
    }
}
