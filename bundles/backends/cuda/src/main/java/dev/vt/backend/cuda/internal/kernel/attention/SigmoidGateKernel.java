package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.Binary;

/** {@code sigmoid_gate_bf16}: 8 elements a thread, or one. */
final class SigmoidGateKernel implements Binary {
    private static final int WIDTH = 8;

    private final KernelFunction single;
    private final KernelFunction wide;

    SigmoidGateKernel(KernelModule module) {
        single = module.function("sigmoid_gate_1");
        wide = module.function("sigmoid_gate_" + WIDTH);
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
            boolean whole = n % WIDTH == 0 && Operand.at16(out, 0) && Operand.at16(a, 0) && Operand.at16(b, 0);
            long packs = whole ? n / WIDTH : n;
            try (Launch launch = cuda.launch(whole ? wide : single)) {
                launch.tensor(out)
                        .tensor(a)
                        .i32(Operand.type(a))
                        .tensor(b)
                        .i64(packs)
                        .run(Grid.over(packs), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
