package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuWorkers;
import dev.vt.ops.kernel.MoeGroupedGemmNvfp4Marlin;
import org.jspecify.annotations.Nullable;

/**
 * {@code moe_grouped_gemm_nvfp4_marlin}: blocks of one expert that follow each other are one product. The numbers of
 * blocks, experts and rows are checked before anything is written. The locks are not needed here and stay as they are.
 */
final class MoeGroupedGemmNvfp4MarlinKernel implements MoeGroupedGemmNvfp4Marlin {
    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            Tensor act,
            Tensor packed,
            Tensor scale,
            Tensor scale2,
            Tensor sortedTokenIds,
            Tensor expertIds,
            Tensor numTokensPostPadded,
            @Nullable Tensor topkWeights,
            Tensor workspace,
            int blockSize,
            int topK) {
        if (!Rows.readable(out) || !Rows.readable(act) || !Rows.readable(scale2)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!packed.contiguous() || !scale.contiguous() || (topkWeights != null && !topkWeights.contiguous())) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(act)) {
            return Declines.LONG_ROW;
        }
        if (!Rows.fits(sortedTokenIds)) {
            return Declines.MANY_ROWS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, act, packed, scale, scale2, sortedTokenIds, expertIds, numTokensPostPadded, workspace);
            if (topkWeights != null) {
                cpu.uses(topkWeights);
            }
        }
        Rows left = Rows.of(act);
        int groups = (int) (left.cols() / Nvfp4Rows.GROUP);
        Call call = new Call(
                Rows.of(out),
                left,
                new MarlinRows(packed, scale, out.lastDim(), groups),
                Rows.of(scale2),
                new MoeBlocks(sortedTokenIds, expertIds, numTokensPostPadded, blockSize),
                topkWeights == null ? null : Rows.flat(topkWeights),
                topK);
        long experts = packed.dim(0);
        cpu.submit(workers -> {
            call.blocks.check("moe_grouped_gemm_nvfp4_marlin", experts);
            call.run(workers);
        });
        return Outcome.SERVED;
    }

    private record Call(
            Rows to,
            Rows act,
            MarlinRows weights,
            Rows scale2,
            MoeBlocks blocks,
            @Nullable Rows topkWeights,
            int topK) {
        void run(CpuWorkers workers) {
            long count = blocks.count();
            long first = 0;
            while (first < count) {
                long expert = blocks.expert(first);
                long end = first + 1;
                while (end < count && blocks.expert(end) == expert) {
                    end++;
                }
                long[] rows = blocks.rows(first, end, to.rows());
                if (expert < 0) {
                    clear(rows);
                } else {
                    multiply(workers, rows, expert);
                }
                first = end;
            }
        }

        private void clear(long[] rows) {
            float[] zeros = new float[(int) to.cols()];
            for (long row : rows) {
                to.write(row, zeros);
            }
        }

        private void multiply(CpuWorkers workers, long[] rows, long expert) {
            float factor = scale2.get(0, expert);
            ScaledProduct.run(
                    workers,
                    to,
                    i -> rows[(int) i],
                    rows.length,
                    (int) act.cols(),
                    (i, x) -> act.read(rows[(int) i] / topK, x),
                    (n, w) -> weights.read(expert, n, w),
                    (i, sum) -> weigh(sum * factor, rows[(int) i]));
        }

        private float weigh(float product, long row) {
            return topkWeights == null ? product : product * topkWeights.get(0, row);
        }
    }
}
