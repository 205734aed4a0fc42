package dev.vt.backend.cuda.internal;

import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;

/**
 * The two kernels around a replay: the first makes the graph's kernels do nothing where the queue has failed, the second
 * takes a fault of theirs over to the queue.
 *
 * @param enter runs before the graph
 * @param leave runs after it
 */
record FaultCarrier(KernelFunction enter, KernelFunction leave) {
    static FaultCarrier create() {
        KernelModule module = Sources.of("fault.cu");
        return new FaultCarrier(module.function("fault_enter"), module.function("fault_leave"));
    }
}
