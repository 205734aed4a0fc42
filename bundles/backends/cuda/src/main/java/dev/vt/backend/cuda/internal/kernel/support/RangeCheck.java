package dev.vt.backend.cuda.internal.kernel.support;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;

/** A launch that looks at all elements of an integer operand, so that the next one does nothing when one is wrong. Immutable. */
public final class RangeCheck {
    /** With more elements a launch of its own is faster than each block's look at all of them. */
    public static final int FEW = 512;

    private static final int THREADS = 1024;

    private final KernelFunction check = Sources.of("check.cu").function("check_range");
    private final FaultSite site;

    public RangeCheck(FaultSite site) {
        this.site = site;
    }

    /** The number that a kernel reports itself. */
    public int number() {
        return site.number();
    }

    /** Fails the queue unless all elements are low to high, both included. */
    public void launch(LaunchQueue queue, Tensor values, long low, long high) {
        try (Launch launch = queue.launch(check)) {
            launch.tensor(values)
                    .i32(wide(values))
                    .i64(values.elements())
                    .i64(low)
                    .i64(high)
                    .i32(site.number())
                    .run(1, values.elements() <= Grid.THREADS ? Grid.THREADS : THREADS);
        }
    }

    /** What a kernel knows the type of an integer operand by. */
    public static int wide(Tensor values) {
        return values.dtype() == DType.I64 ? 1 : 0;
    }
}
