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
import dev.vt.ops.kernel.AttnGateSplit;

/** {@code attn_gate_split}: 8 elements of a query and of its gate a thread, or one. */
final class AttnGateSplitKernel implements AttnGateSplit {
    private static final int WIDTH = 8;

    private final KernelFunction single;
    private final KernelFunction wide;

    AttnGateSplitKernel(KernelModule module) {
        single = module.function("gate_split_1");
        wide = module.function("gate_split_" + WIDTH);
    }

    @Override
    public Outcome run(Queue queue, Tensor q, Tensor gate, Tensor qGate) {
        Outcome no = Operand.dense(q);
        no = no != null ? no : Operand.dense(gate);
        no = no != null ? no : Operand.dense(qGate);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(q, gate, qGate);
        }
        long n = q.elements();
        if (n > 0) {
            boolean whole =
                    q.dim(2) % WIDTH == 0 && Operand.at16(q, 0) && Operand.at16(gate, 0) && Operand.at16(qGate, 0);
            long packs = whole ? n / WIDTH : n;
            try (Launch launch = cuda.launch(whole ? wide : single)) {
                launch.tensor(q)
                        .tensor(gate)
                        .tensor(qGate)
                        .i32(Operand.type(qGate))
                        .i64(packs)
                        .i32((int) q.dim(2))
                        .run(Grid.over(packs), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
