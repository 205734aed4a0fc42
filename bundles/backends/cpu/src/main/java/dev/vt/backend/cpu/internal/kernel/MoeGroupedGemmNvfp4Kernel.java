package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuWorkers;
import dev.vt.ops.kernel.MoeGroupedGemmNvfp4;
import dev.vt.ops.kernel.ScaleLayout;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * {@code moe_grouped_gemm_nvfp4}: rows are grouped by expert, so that a weight is decoded once for all rows of its expert.
 * Ids, rows and addresses are checked before anything is written. A device address is here an address of the process; what
 * lies there is the caller's word.
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
                new Ints(packed),
                new Ints(scales),
                Rows.of(scale2),
                (int) packed.lastDim());
        long rows = act.dim(0);
        cpu.submit(workers -> {
            int[] order = call.order(rows, packed, scales);
            call.run(workers, order);
        });
        return Outcome.SERVED;
    }

    private record Call(
            Rows to,
            Rows act,
            Ints expertIds,
            @Nullable Ints rowMap,
            Ints packed,
            Ints scales,
            Rows scale2,
            int experts) {
        /** The rows of the output, by expert, each expert's in ascending order; throws where the data are wrong. */
        int[] order(long rows, Tensor packedTensor, Tensor scalesTensor) {
            int n = (int) to.rows();
            expertIds.check(OP, "expertIds", 0, n, 0, experts - 1L);
            if (rowMap != null) {
                rowMap.check(OP, "rowMap", 0, n, 0, rows - 1);
            }
            int[] start = new int[experts + 1];
            for (int p = 0; p < n; p++) {
                start[(int) expertIds.get(p) + 1]++;
            }
            for (int e = 0; e < experts; e++) {
                if (start[e + 1] > 0) {
                    Faults.requireAddress(OP, "packed", packedTensor, e, packed.get(e));
                    Faults.requireAddress(OP, "scales", scalesTensor, e, scales.get(e));
                }
                start[e + 1] += start[e];
            }
            int[] order = new int[n];
            for (int p = 0; p < n; p++) {
                order[start[(int) expertIds.get(p)]++] = p;
            }
            return order;
        }

        void run(CpuWorkers workers, int[] order) {
            int from = 0;
            while (from < order.length) {
                long expert = expertIds.get(order[from]);
                int end = from + 1;
                while (end < order.length && expertIds.get(order[end]) == expert) {
                    end++;
                }
                run(workers, order, from, end - from, expert);
                from = end;
            }
        }

        private void run(CpuWorkers workers, int[] order, int from, int count, long expert) {
            int depth = (int) act.cols();
            long n = to.cols();
            int groups = depth / Nvfp4Rows.GROUP;
            Bytes codes = at(packed.get(expert), n, depth / 2);
            Nvfp4Rows weights = new Nvfp4Rows(codes, at(scales.get(expert), n, groups), ScaleLayout.LINEAR, groups);
            float factor = scale2.get(0, expert);
            ScaledProduct.run(
                    workers,
                    to,
                    i -> order[from + (int) i],
                    count,
                    depth,
                    (i, x) -> act.read(source(order[from + (int) i]), x),
                    (j, w) -> weights.readBf16(j, factor, w),
                    (i, sum) -> sum);
        }

        private long source(int row) {
            return rowMap == null ? row : rowMap.get(row);
        }

        private static Bytes at(long address, long rows, long rowBytes) {
            MemorySegment bytes = MemorySegment.ofAddress(address).reinterpret(Math.multiplyExact(rows, rowBytes));
            return new Bytes(bytes, 0, rowBytes);
        }
    }
}
