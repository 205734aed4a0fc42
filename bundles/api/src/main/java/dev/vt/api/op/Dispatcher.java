package dev.vt.api.op;

import dev.vt.api.device.Queue;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Runs a validated call through the chain of kernels of its op on the queue's device. Entry points of ops are the only callers.
 */
@ProviderType
public interface Dispatcher {
    /**
     * Tries the eligible kernels in selection order until one serves. Does not allocate.
     *
     * @throws NoKernelException when nothing is eligible or everything declined
     */
    <K> void call(Op<K> op, Queue queue, KernelCall<K> call);
}
