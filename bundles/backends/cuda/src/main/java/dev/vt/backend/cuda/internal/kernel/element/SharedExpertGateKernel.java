package dev.vt.backend.cuda.internal.kernel.element;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.Binary;

/** {@code shared_expert_gate}: each row times the sigmoid of its gate. */
final class SharedExpertGateKernel implements Binary {
    private final KernelFunction function;

    SharedExpertGateKernel(KernelModule module) {
        function = module.function("shared_expert_gate");
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(a);
        no = no != null ? no : Operand.dense(b);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, a, b);
        }
        long n = out.elements();
        if (n > 0) {
            boolean packed = Packs.aligned(out) && Packs.aligned(a) && Packs.whole(a.lastDim());
            try (Launch launch = cuda.launch(function)) {
                launch.tensor(out)
                        .tensor(a)
                        .tensor(b)
                        .i64(n)
                        .i64(a.lastDim())
                        .i32(packed ? 1 : 0)
                        .run(Grid.over(n, Packs.of(a, out), packed), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
