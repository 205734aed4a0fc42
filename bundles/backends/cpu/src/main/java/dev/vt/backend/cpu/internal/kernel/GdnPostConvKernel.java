package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.GdnPostConv;

/**
 * {@code gdn_post_conv}, spread over tokens; made of the very arithmetic of {@code gdn_conv_split}, {@code l2_norm} and {@code
 * gdn_g_beta}, so it equals them bit by bit.
 */
final class GdnPostConvKernel implements GdnPostConv {
    @Override
    public Outcome run(
            Queue queue,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor x,
            Tensor a,
            Tensor b,
            Tensor aLog,
            Tensor dtBias,
            float eps) {
        if (!Rows.readable(q)
                || !Rows.readable(k)
                || !Rows.readable(v)
                || !Rows.readable(x)
                || !Rows.readable(a)
                || !Rows.readable(b)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(q) || !Rows.fits(g)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(q, k, v, g, beta, x, a, b, aLog, dtBias);
        }
        cpu.submit(workers -> {
            double nanos = 100 + x.dim(1) + 60.0 * g.dim(1);
            workers.forRange(x.dim(0), Work.grain(nanos), (begin, end) -> {
                Split split = new Split(q, k, v, x, eps);
                GateRows gates = new GateRows(g, beta, a, b, aLog, dtBias);
                for (long t = begin; t < end; t++) {
                    split.run(t);
                    gates.run(t);
                }
            });
        });
        return Outcome.SERVED;
    }

    /** Splits and normalises the row of a token. Has scratch, so one thread's. */
    private static final class Split {
        private final Rows q;
        private final Rows k;
        private final Rows v;
        private final Rows x;
        private final long keyHeads;
        private final long heads;
        private final float eps;
        private final float[] row;
        private final float[] scratch = new float[Elementwise.CHUNK];

        Split(Tensor q, Tensor k, Tensor v, Tensor x, float eps) {
            this.q = Rows.of(q);
            this.k = Rows.of(k);
            this.v = Rows.of(v);
            this.x = Rows.of(x);
            this.keyHeads = q.dim(1);
            this.heads = v.dim(1);
            this.eps = eps;
            this.row = new float[(int) q.dim(2)];
        }

        void run(long token) {
            long keys = keyHeads * row.length;
            for (long h = 0; h < keyHeads; h++) {
                unit(token, h * row.length, q, token * keyHeads + h);
                unit(token, keys + h * row.length, k, token * keyHeads + h);
            }
            for (long h = 0; h < heads; h++) {
                x.copy(token, 2 * keys + h * v.cols(), v.cols(), v, token * heads + h, 0, scratch);
            }
        }

        private void unit(long token, long from, Rows to, long toRow) {
            x.read(token, from, row.length, row, 0);
            Gates.unit(row, eps);
            to.write(toRow, row);
        }
    }
}
