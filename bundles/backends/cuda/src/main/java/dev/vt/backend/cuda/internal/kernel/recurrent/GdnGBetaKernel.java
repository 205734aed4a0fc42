package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.GdnGBeta;

/** {@code gdn_g_beta}. */
final class GdnGBetaKernel implements GdnGBeta {
    private final KernelFunction function;

    GdnGBetaKernel(KernelModule module) {
        function = module.function("gdn_g_beta");
    }

    @Override
    public Outcome run(Queue queue, Tensor g, Tensor beta, Tensor a, Tensor b, Tensor aLog, Tensor dtBias) {
        Outcome no = GateOperands.declined(g, beta, a, b, aLog, dtBias);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(g, beta, a, b, aLog, dtBias);
        }
        long n = g.elements();
        if (n > 0) {
            try (Launch launch = cuda.launch(function)) {
                GateOperands.put(launch.tensor(g).tensor(beta), a, b, aLog, dtBias)
                        .i64(g.dim(0))
                        .i64(g.dim(1))
                        .run(Grid.over(n), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
