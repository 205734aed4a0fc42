package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuWorkers;
import dev.vt.ops.kernel.MoeGroupedGemmBf16;
import org.jspecify.annotations.Nullable;

/**
 * {@code moe_grouped_gemm_bf16}: rows are sorted by expert, so that each matrix is read once for several rows. The backend finds
 * the matrices by their addresses; all ids, rows and addresses in use are checked before the first store.
 */
final class MoeGroupedGemmBf16Kernel implements MoeGroupedGemmBf16 {
    private static final String OP = "moe_grouped_gemm_bf16";

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor act, Tensor expertIds, @Nullable Tensor rowMap, Tensor weights) {
        if (!Rows.readable(out) || !Rows.readable(act)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(act)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, act, expertIds, weights);
            if (rowMap != null) {
                cpu.uses(rowMap);
            }
        }
        Ints map = rowMap == null ? null : new Ints(rowMap);
        cpu.submit(workers -> run(workers, cpu, out, act, new Ints(expertIds), map, weights));
        return Outcome.SERVED;
    }

    private static void run(
            CpuWorkers workers,
            CpuQueue queue,
            Tensor out,
            Tensor act,
            Ints expertIds,
            @Nullable Ints rowMap,
            Tensor weights) {
        Rows to = Rows.of(out);
        Rows left = Rows.of(act);
        int experts = Math.toIntExact(weights.elements());
        expertIds.check(OP, "expertIds", 0, to.rows(), 0, experts - 1);
        if (rowMap != null) {
            rowMap.check(OP, "rowMap", 0, to.rows(), 0, left.rows() - 1);
        }
        ExpertGroups groups = new ExpertGroups(expertIds, Math.toIntExact(to.rows()), experts, ProductTile.ROWS);
        Rows[] matrices = matrices(queue, groups, weights, left.cols(), to.cols());
        long across = Math.ceilDiv(to.cols(), ProductTile.COLS);
        double nanos = ProductTile.nanos(to.rows(), to.cols(), left.cols());
        workers.forRange(groups.pieces() * across, Work.grain(nanos), (begin, end) -> {
            for (long tile = begin; tile < end; tile++) {
                int piece = (int) (tile / across);
                ProductTile.multiply(
                        to,
                        i -> groups.row(piece, i),
                        left,
                        i -> rowMap == null ? groups.row(piece, i) : rowMap.get(groups.row(piece, i)),
                        matrices[piece],
                        groups.size(piece),
                        tile % across * ProductTile.COLS,
                        0);
            }
        });
    }

    /** The matrix of each piece. */
    private static Rows[] matrices(CpuQueue queue, ExpertGroups groups, Tensor weights, long k, long n) {
        Addresses addresses = new Addresses(queue, OP, "weights", weights);
        long bytes = Math.multiplyExact(Math.multiplyExact(k, n), DType.BF16.elementBytes());
        Rows[] matrices = new Rows[groups.pieces()];
        for (int p = 0; p < matrices.length; p++) {
            int expert = groups.expert(p);
            matrices[p] = p > 0 && expert == groups.expert(p - 1)
                    ? matrices[p - 1]
                    : Rows.matrix(addresses.bytes(expert, bytes), DType.BF16, k, n);
        }
        return matrices;
    }
}
