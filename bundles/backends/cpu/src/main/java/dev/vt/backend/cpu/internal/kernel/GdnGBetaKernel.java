package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.GdnGBeta;

/** {@code gdn_g_beta}, spread over tokens. */
final class GdnGBetaKernel implements GdnGBeta {
    @Override
    public Outcome run(Queue queue, Tensor g, Tensor beta, Tensor a, Tensor b, Tensor aLog, Tensor dtBias) {
        if (!Rows.readable(g) || !Rows.readable(beta) || !Rows.readable(a) || !Rows.readable(b)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(g)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(g, beta, a, b, aLog, dtBias);
        }
        cpu.submit(workers -> workers.forRange(g.dim(0), Work.grain(60.0 * g.dim(1)), (begin, end) -> {
            GateRows rows = new GateRows(g, beta, a, b, aLog, dtBias);
            for (long t = begin; t < end; t++) {
                rows.run(t);
            }
        }));
        return Outcome.SERVED;
    }
}
