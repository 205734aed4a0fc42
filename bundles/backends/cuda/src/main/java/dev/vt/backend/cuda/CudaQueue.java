package dev.vt.backend.cuda;

import dev.vt.api.device.Queue;
import dev.vt.api.tensor.Tensor;

/**
 * A queue of the CUDA backend: a stream. Kernels for CUDA devices cast the queue that they are given to this type, decide at once
 * whether they serve the call, and give their work to the stream. The address of a tensor in device memory is
 * {@code tensor.segment().address() + tensor.offset()}.
 */
public interface CudaQueue extends Queue {
    /**
     * Lets a task give work to the stream. During a capture the stream records it. What a task throws goes to the caller and
     * does not fail the queue.
     */
    void submit(CudaTask task);

    /**
     * The same for callers that may allocate nothing: the stream for the calling thread, which closes it soon. Until then the
     * device's context is current and no other thread can use the queue. Must not be nested.
     *
     * @param scratchBytes memory of the device that the work needs while it runs; the queue keeps the largest block that was ever
     *     asked for, and a graph has one of its own, so no two works that may run at once share it
     * @throws dev.vt.api.VtException if the device has no room for the scratch memory; nothing was given to the stream then
     */
    CudaStream enter(long scratchBytes);

    /** The context of the queue's device. One object for each open device. */
    CudaContext context();

    /**
     * Tells a capture which memory the next work uses, so that a replay fails before launch once one of the blocks was
     * closed. A kernel calls it right before it gives the work, guarded so that nothing is allocated outside a capture:
     * {@code if (queue.capturing()) { queue.uses(out, a, b); }}. Outside a capture it does nothing.
     */
    void uses(Tensor... tensors);
}
