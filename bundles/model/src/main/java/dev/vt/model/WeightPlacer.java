package dev.vt.model;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.model.gguf.GgufTensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Brings tensors of a file to where a device reads them: as the mapped bytes themselves where it can read host memory, else by
 * uploads, which are queued. What it allocates belongs to whoever asks for the list. Made for one model, used by one thread.
 */
final class WeightPlacer {
    private final Backend backend;
    private final Queue queue;
    private final List<Memory> memory = new ArrayList<>();
    private long bytes;

    WeightPlacer(Backend backend, Queue queue) {
        this.backend = backend;
        this.queue = queue;
    }

    /** True when the device reads no host memory, so that tensors are copied. */
    boolean copies() {
        return !backend.hostAddressable();
    }

    List<Memory> memory() {
        return memory;
    }

    /** Bytes of all tensors so far. */
    long bytes() {
        return bytes;
    }

    Tensor one(GgufTensor tensor) {
        bytes += tensor.data().byteSize();
        Optional<Memory> shared = backend.importHost(tensor.data());
        Memory block =
                shared.isPresent() ? keep(shared.get()) : allocate(tensor.data().byteSize());
        if (shared.isEmpty()) {
            backend.upload(queue, block, 0, tensor.data());
        }
        return Tensor.of(block, tensor.dtype(), tensor.shape());
    }

    /** Each in a place of its own. */
    List<Tensor> apart(List<GgufTensor> tensors) {
        List<Tensor> out = new ArrayList<>();
        tensors.forEach(t -> out.add(one(t)));
        return out;
    }

    /** Copies tensors that differ in their number of rows alone; gives each of them, and then all as one. */
    List<Tensor> behindEachOther(List<GgufTensor> tensors) {
        Memory block =
                allocate(tensors.stream().mapToLong(t -> t.data().byteSize()).sum());
        List<Tensor> out = new ArrayList<>();
        long rows = 0;
        long at = 0;
        for (GgufTensor tensor : tensors) {
            backend.upload(queue, block, at, tensor.data());
            out.add(Tensor.of(block, at, tensor.dtype(), tensor.shape()));
            at += tensor.data().byteSize();
            rows += tensor.dim(0);
        }
        bytes += at;
        long[] shape = tensors.getFirst().shape();
        shape[0] = rows;
        out.add(Tensor.of(block, tensors.getFirst().dtype(), shape));
        return out;
    }

    /** Numbers that are not in the file as they are. */
    Tensor floats(float[] values) {
        Memory block = allocate(Tensor.bytes(DType.F32, values.length));
        bytes += block.size();
        backend.upload(queue, block, 0, MemorySegment.ofArray(values));
        return Tensor.of(block, DType.F32, values.length);
    }

    private Memory allocate(long size) {
        return keep(backend.allocate(size));
    }

    private Memory keep(Memory block) {
        memory.add(block);
        return block;
    }
}
