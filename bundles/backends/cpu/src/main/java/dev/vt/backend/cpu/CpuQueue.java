package dev.vt.backend.cpu;

import dev.vt.api.device.Queue;
import dev.vt.api.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * A queue of the CPU backend. Kernels for the CPU cast the queue that they are given to this type, decide at once
 * whether they serve the call, and hand their work over as a task. Nothing is written before the task runs.
 */
public interface CpuQueue extends Queue {
    /**
     * Queues a task; tasks of a queue run one after the other, in order, on the queue's own thread. During a capture
     * the task is kept in the graph instead, and must therefore be able to run more than once. A task that throws fails
     * the queue.
     */
    void submit(CpuTask task);

    /**
     * Tells a capture which memory the next task uses, so that a replay fails before launch once one of the blocks was
     * closed. A kernel calls it right before {@link #submit}, guarded so that nothing is allocated outside a capture:
     * {@code if (queue.capturing()) { queue.uses(out, a, b); }}. Outside a capture it does nothing.
     */
    void uses(Tensor... tensors);

    /**
     * The bytes at a native address, for kernels whose operands hold addresses. To be asked inside the task. Nothing is read through
     * an address that the backend does not know: 0, or bytes that are not all inside one of its blocks, are an error.
     *
     * @param address where the bytes start
     * @param bytes how many, 0 or more
     * @throws dev.vt.api.VtException with {@code INVALID_ARGUMENT}, when there are no such bytes
     */
    MemorySegment segmentAt(long address, long bytes);
}
