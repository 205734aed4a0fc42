package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.AttnQkNormRopeGate;

/** {@code attn_qk_norm_rope_gate}: the steps of the single ops, one token after the other, so that the bits are the same. */
final class AttnQkNormRopeGateKernel implements AttnQkNormRopeGate {
    @Override
    public Outcome run(
            Queue queue,
            Tensor qOut,
            Tensor kOut,
            Tensor gateOut,
            Tensor qGate,
            Tensor k,
            Tensor qNorm,
            Tensor kNorm,
            Tensor cosSin,
            float eps) {
        if (!Rows.readable(qOut) || !Rows.readable(kOut) || !Rows.readable(gateOut)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.readable(qGate) || !Rows.readable(k) || !Rows.readable(cosSin)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(qOut)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(qOut, kOut, gateOut, qGate, k, qNorm, kNorm, cosSin);
        }
        long heads = qOut.dim(1);
        long keyHeads = kOut.dim(1);
        Rows merged = Rows.of(qGate);
        Rows keys = Rows.of(k);
        Rows q = Rows.of(qOut);
        Rows key = Rows.of(kOut);
        Rows gate = Rows.of(gateOut);
        Rows table = Rows.of(cosSin);
        int width = (int) q.cols();
        double nanos = (2.0 * heads + keyHeads) * (50 + 3.0 * width);
        cpu.submit(workers -> workers.forRange(merged.rows(), Work.grain(nanos), (begin, end) -> {
            Rotation rotation = new Rotation((int) table.cols(), false);
            float[] head = new float[width];
            float[] queryWeights = RmsNormKernel.weights(Rows.of(qNorm), width, true);
            float[] keyWeights = RmsNormKernel.weights(Rows.of(kNorm), width, true);
            for (long t = begin; t < end; t++) {
                for (long h = 0; h < heads; h++) {
                    norm(merged, t, h * 2 * width, q, t * heads + h, queryWeights, eps, head);
                    merged.copy(t, (h * 2 + 1) * width, width, gate, t * heads + h, 0, head);
                }
                for (long h = 0; h < keyHeads; h++) {
                    norm(keys, t, h * width, key, t * keyHeads + h, keyWeights, eps, head);
                }
                rotation.angles(table, t);
                rotation.rotate(q, t, heads);
                rotation.rotate(key, t, keyHeads);
            }
        }));
        return Outcome.SERVED;
    }

    private static void norm(
            Rows from, long row, long col, Rows to, long toRow, float[] weights, float eps, float[] head) {
        from.read(row, col, head.length, head, 0);
        RmsNormKernel.normalise(head, weights, eps);
        to.write(toRow, head);
    }
}
