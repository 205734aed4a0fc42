package dev.vt.api.device;

import java.util.List;

/**
 * Work recorded by a capture, to be launched again. It owns what it recorded. Replaying fails with a
 * {@link StaleGraphException}, before anything is launched, once a provider whose kernels it holds has left or memory that it
 * uses was closed. Whoever ended the capture closes it; any thread may replay it, on a queue of its device.
 */
public interface Graph extends AutoCloseable {
    Device device();

    /** Number of recorded pieces of work. */
    int nodes();

    /** The providers whose kernels are in here, each once, in the order of their first call. */
    List<KernelOwner> owners();

    /** Queues the recorded work once more. */
    void replay(Queue queue);

    @Override
    void close();
}
