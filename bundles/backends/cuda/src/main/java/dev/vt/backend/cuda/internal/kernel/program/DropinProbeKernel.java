package dev.vt.backend.cuda.internal.kernel.program;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.DropinProbe;
import org.jspecify.annotations.Nullable;

/** {@code dropin_probe}: the views as the launch's arguments, the first byte of each tensor from the device's memory. */
final class DropinProbeKernel implements DropinProbe {
    private final KernelFunction function;

    DropinProbeKernel(KernelModule module) {
        function = module.function("dropin_probe");
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor ids,
            @Nullable Tensor scale,
            long integer,
            double real,
            boolean flag) {
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, x, ids);
            if (scale != null) {
                cuda.uses(scale);
            }
        }
        try (Launch launch = cuda.launch(function)) {
            launch.tensor(out).i64(VERSION).i64(integer).i64(Double.doubleToRawLongBits(real));
            launch.i64(flag ? 1 : 0);
            launch.tensor(x).i64(DropinProbe.code(x.dtype())).i64(x.dim(0)).i64(x.dim(1));
            launch.i64(x.stride(0)).i64(x.stride(1));
            vector(launch.tensor(ids), ids);
            launch.optional(scale).i32(scale == null ? 0 : 1);
            vector(launch, scale);
            launch.run(1, 1);
        }
        return Outcome.SERVED;
    }

    private static void vector(Launch launch, @Nullable Tensor t) {
        if (t == null) {
            launch.i64(0).i64(0).i64(0);
        } else {
            launch.i64(DropinProbe.code(t.dtype())).i64(t.dim(0)).i64(t.stride(0));
        }
    }
}
