package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuWorkers;
import dev.vt.ops.kernel.MoeGroupedGemmNvfp4;
import dev.vt.ops.kernel.ScaleLayout;
import org.jspecify.annotations.Nullable;

/**
 * {@code moe_grouped_gemm_nvfp4}: rows are sorted by expert, so that a weight is decoded once for several rows. The backend
 * finds the matrices by their addresses; all ids, rows and addresses in use are checked before the first store.
 */
final class MoeGroupedGemmNvfp4Kernel implements MoeGroupedGemmNvfp4 {
    private static final String OP = "moe_grouped_gemm_nvfp4";

    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            Tensor act,
            Tensor expertIds,
            @Nullable Tensor rowMap,
            Tensor packed,
            Tensor scales,
            Tensor scale2) {
        if (!Rows.readable(out) || !Rows.readable(act) || !Rows.readable(scale2)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(act)) {
            return Declines.LONG_ROW;
        }
        if (!Rows.fits(expertIds) || !Rows.fits(packed)) {
            return Declines.MANY_ROWS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, act, expertIds, packed, scales, scale2);
            if (rowMap != null) {
                cpu.uses(rowMap);
            }
        }
        Call call = new Call(
                Rows.of(out),
                Rows.of(act),
                new Ints(expertIds),
                rowMap == null ? null : new Ints(rowMap),
                new Addresses(cpu, OP, "packed", packed),
                new Addresses(cpu, OP, "scales", scales),
                Rows.of(scale2),
                (int) packed.lastDim());
        cpu.submit(call::run);
        return Outcome.SERVED;
    }

    private record Call(
            Rows to,
            Rows act,
            Ints expertIds,
            @Nullable Ints rowMap,
            Addresses packed,
            Addresses scales,
            Rows scale2,
            int experts) {
        void run(CpuWorkers workers) {
            expertIds.check(OP, "expertIds", 0, to.rows(), 0, experts - 1L);
            if (rowMap != null) {
                rowMap.check(OP, "rowMap", 0, to.rows(), 0, act.rows() - 1);
            }
            ExpertGroups groups = new ExpertGroups(expertIds, (int) to.rows(), experts, ScaledProduct.BLOCK);
            Nvfp4Rows[] weights = weights(groups);
            for (int piece = 0; piece < weights.length; piece++) {
                run(workers, groups, piece, weights[piece]);
            }
        }

        /** The matrix of each piece. */
        private Nvfp4Rows[] weights(ExpertGroups groups) {
            Nvfp4Rows[] weights = new Nvfp4Rows[groups.pieces()];
            for (int p = 0; p < weights.length; p++) {
                int expert = groups.expert(p);
                weights[p] = p > 0 && expert == groups.expert(p - 1) ? weights[p - 1] : weight(expert);
            }
            return weights;
        }

        private Nvfp4Rows weight(int expert) {
            int groups = (int) act.cols() / Nvfp4Rows.GROUP;
            return new Nvfp4Rows(
                    rows(packed, expert, act.cols() / 2), rows(scales, expert, groups), ScaleLayout.LINEAR, groups);
        }

        private Bytes rows(Addresses from, int expert, long rowBytes) {
            return new Bytes(from.bytes(expert, Math.multiplyExact(to.cols(), rowBytes)), 0, rowBytes);
        }

        private void run(CpuWorkers workers, ExpertGroups groups, int piece, Nvfp4Rows weights) {
            float factor = scale2.get(0, groups.expert(piece));
            ScaledProduct.run(
                    workers,
                    to,
                    i -> groups.row(piece, i),
                    groups.size(piece),
                    (int) act.cols(),
                    (i, x) -> act.read(source(groups.row(piece, i)), x),
                    (n, w) -> weights.readBf16(n, factor, w),
                    (i, sum) -> sum);
        }

        private long source(int row) {
            return rowMap == null ? row : rowMap.get(row);
        }
    }
}
