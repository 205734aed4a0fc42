package dev.vt.backend.cuda.internal.launch;

import dev.vt.backend.cuda.CudaQueue;

/** The queue as this bundle's own kernels see it. */
public interface LaunchQueue extends CudaQueue {
    /** The device's compute capability as one number: 9.0 is 90. */
    int capability();

    /**
     * Starts a launch, which the caller closes; no other thread can use the queue until then. The first argument of every
     * kernel, where it reports faults, is set already.
     */
    Launch launch(KernelFunction function);

    /**
     * The same for a kernel that needs memory of the device, which {@link Launch#scratch} gives it. What one launch leaves there the
     * next one finds when it is begun, by {@link #launch(KernelFunction)}, before this one is closed.
     *
     * @throws dev.vt.api.VtException if the device has no room for it; nothing was launched then
     */
    Launch launch(KernelFunction function, long scratchBytes);

    /** Whether the device has the matrix units and the copy engine of compute capability 9.0, and the driver describes matrices. */
    boolean copiesTiles();

    /** Number of multiprocessors. */
    int units();
}
