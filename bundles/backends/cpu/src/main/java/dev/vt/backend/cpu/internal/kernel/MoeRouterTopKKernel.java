package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.MoeRouterTopK;
import dev.vt.ops.kernel.RouterParams;
import org.jspecify.annotations.Nullable;

/** {@code moe_router_top_k}: tokens are spread over the cores, each is routed by {@link ExpertRouter}. */
final class MoeRouterTopKKernel implements MoeRouterTopK {
    @Override
    public Outcome run(
            Queue queue, Tensor weights, Tensor indices, Tensor logits, @Nullable Tensor bias, RouterParams params) {
        if (!Rows.readable(weights) || !Rows.readable(logits) || (bias != null && !Rows.readable(bias))) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(logits)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(weights, indices, logits);
            if (bias != null) {
                cpu.uses(bias);
            }
        }
        Rows from = Rows.of(logits);
        Rows to = Rows.of(weights);
        Rows added = bias == null ? null : Rows.of(bias);
        Ints chosen = new Ints(indices);
        int k = (int) to.cols();
        double nanos = 50 + (15.0 + k) * from.cols();
        cpu.submit(workers -> workers.forRange(to.rows(), Work.grain(nanos), (begin, end) -> {
            float[] b = new float[(int) from.cols()];
            if (added != null) {
                added.read(0, b);
            }
            ExpertRouter router = new ExpertRouter(params, b, added != null);
            int[] experts = new int[k];
            double[] scores = new double[k];
            float[] row = new float[k];
            for (long t = begin; t < end; t++) {
                from.read(t, router.logits());
                router.route(experts, scores);
                for (int i = 0; i < k; i++) {
                    chosen.set(t * k + i, experts[i]);
                    row[i] = (float) scores[i];
                }
                to.write(t, row);
            }
        }));
        return Outcome.SERVED;
    }
}
