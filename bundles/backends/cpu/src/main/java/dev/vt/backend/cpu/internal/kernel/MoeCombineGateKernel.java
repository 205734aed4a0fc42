package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.internal.kernel.ExpertSum.SharedTerm;
import dev.vt.ops.kernel.MoeCombineGate;

/** {@code moe_combine_gate}: the same arithmetic as its two parts, so the same bits. */
final class MoeCombineGateKernel implements MoeCombineGate {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor expertOut, Tensor weights, Tensor shared, Tensor gateLogits) {
        if (!Rows.readable(out) || !Rows.readable(expertOut) || !Rows.readable(shared)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, expertOut, weights, shared, gateLogits);
        }
        ExpertSum sum = new ExpertSum(out, expertOut, weights);
        SharedTerm term = term(Rows.of(shared), Rows.flat(gateLogits));
        cpu.submit(workers -> sum.run(workers, term));
        return Outcome.SERVED;
    }

    private static SharedTerm term(Rows shared, Rows gates) {
        return (row, col, n, to) -> {
            shared.read(row, col, n, to, 0);
            SharedExpertGateKernel.scale(to, n, gates.get(0, row));
            for (int i = 0; i < n; i++) {
                to[i] = Float.intBitsToFloat(Rows.bf16(to[i]) << 16);
            }
        };
    }
}
