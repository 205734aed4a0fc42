package dev.vt.backend.cuda.internal.launch;

import dev.vt.backend.cuda.CudaQueue;

/** The queue as this bundle's own kernels see it. */
public interface LaunchQueue extends CudaQueue {
    /**
     * Starts a launch, which the caller closes; no other thread can use the queue until then. The first argument of every
     * kernel, where it reports faults, is set already.
     */
    Launch launch(KernelFunction function);
}
