package dev.vt.shell.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Dispatcher;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The operands of a case in the memory of a device, with a queue of its own. Whoever opens it closes it. One thread.
 */
final class CaseOnDevice implements AutoCloseable {
    private final KernelCase kernelCase;
    private final Backend backend;
    private final Queue queue;
    private final List<Memory> memories = new ArrayList<>();
    private final Tensor[] tensors;

    CaseOnDevice(KernelCase kernelCase, Backend backend) {
        this.kernelCase = kernelCase;
        this.backend = backend;
        queue = backend.createQueue();
        try {
            for (Operand o : kernelCase.operands()) {
                memories.add(backend.allocate(o.data().length));
            }
            tensors = new Tensor[memories.size()];
            for (int i = 0; i < tensors.length; i++) {
                Operand o = kernelCase.operands().get(i);
                tensors[i] = Tensor.of(memories.get(i), o.dtype(), o.shape());
                upload(i);
            }
            queue.synchronize();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void upload(int i) {
        backend.upload(
                queue,
                memories.get(i),
                0,
                MemorySegment.ofArray(kernelCase.operands().get(i).data()));
    }

    /** Puts what calls have written back to what it was. */
    void reset() {
        for (int i = 0; i < tensors.length; i++) {
            if (kernelCase.operands().get(i).output()) {
                upload(i);
            }
        }
        queue.synchronize();
    }

    /** Queues the call. */
    void call(Ops ops) {
        kernelCase.call().on(ops, queue, tensors);
    }

    void call(Dispatcher dispatcher) {
        call(new Ops(dispatcher));
    }

    void synchronize() {
        queue.synchronize();
    }

    /** The bytes of every operand, those that are only read too: a kernel must not have changed them. */
    List<byte[]> bytes() {
        List<byte[]> out = new ArrayList<>();
        for (Memory memory : memories) {
            byte[] bytes = new byte[Math.toIntExact(memory.size())];
            backend.download(queue, MemorySegment.ofArray(bytes), memory, 0);
            out.add(bytes);
        }
        queue.synchronize();
        return out;
    }

    @Override
    public void close() {
        try (queue) {
            memories.forEach(Memory::close);
        }
    }
}
