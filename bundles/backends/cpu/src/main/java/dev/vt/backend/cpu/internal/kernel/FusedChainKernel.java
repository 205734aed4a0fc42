package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Chain;
import dev.vt.ops.kernel.FusedChain;
import org.jspecify.annotations.Nullable;

/** {@code fused_chain}: each row is read once, goes through all steps, and is written once. */
final class FusedChainKernel implements FusedChain {
    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            Tensor x,
            @Nullable Tensor weight,
            @Nullable Tensor residual,
            Chain chain,
            float eps) {
        if (!Rows.readable(out)
                || !Rows.readable(x)
                || (weight != null && !Rows.readable(weight))
                || (residual != null && !Rows.readable(residual))) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(x)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, x);
            if (weight != null) {
                cpu.uses(weight);
            }
            if (residual != null) {
                cpu.uses(residual);
            }
        }
        Rows from = Rows.of(x);
        Rows to = Rows.of(out);
        Rows factors = weight == null ? null : Rows.of(weight);
        Rows sum = residual == null ? null : Rows.of(residual);
        int n = (int) from.cols();
        boolean writesSum = chain.writes(Chain.RESIDUAL);
        double nanos = 50 + 10.0 * n * chain.steps().size();
        cpu.submit(workers -> workers.forRange(from.rows(), Work.grain(nanos), (begin, end) -> {
            ChainRow row = new ChainRow(chain, n, eps, to.dtype(), sum == null ? to.dtype() : sum.dtype());
            if (factors != null) {
                factors.read(0, row.slot(Chain.WEIGHT));
                row.prepare();
            }
            for (long r = begin; r < end; r++) {
                from.read(r, row.slot(Chain.X));
                if (sum != null) {
                    sum.read(r, row.slot(Chain.RESIDUAL));
                }
                row.run();
                if (sum != null && writesSum) {
                    sum.write(r, row.slot(Chain.RESIDUAL));
                }
                to.write(r, row.slot(Chain.OUT));
            }
        }));
        return Outcome.SERVED;
    }
}
