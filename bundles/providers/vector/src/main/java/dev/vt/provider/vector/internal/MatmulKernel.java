package dev.vt.provider.vector.internal;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Matmul;

/** {@code matmul}: columns of b are gathered into the rows of a panel. Stateless. */
final class MatmulKernel implements Matmul {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
        if (!a.dtype().isFloat()) {
            return Declines.A_TYPE;
        }
        if (!b.dtype().isFloat()) {
            return Declines.B_TYPE;
        }
        if (out.dtype() != DType.F32 && out.dtype() != DType.BF16) {
            return Declines.OUT_TYPE;
        }
        if (!Declines.dense(out) || !Declines.dense(a) || !Declines.dense(b)) {
            return Declines.STRIDED;
        }
        if (a.dim(1) > Declines.LONGEST) {
            return Declines.LONG_ROW;
        }
        RowReader left = RowReader.of(a.dtype());
        RowReader right = RowReader.of(b.dtype());
        if (left == null || right == null) {
            return Declines.B_TYPE;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, a, b);
        }
        int k = (int) a.dim(1);
        Panel columns = new ColumnPanel(Rows.of(b, right), b.dim(1), b.dtype().elementBytes());
        cpu.submit(new Product(Rows.of(a, left), columns, Output.of(out), k));
        return Outcome.SERVED;
    }

    private record ColumnPanel(Rows source, long columns, int elementBytes) implements Panel {
        @Override
        public long rows() {
            return columns;
        }

        @Override
        public void read(long n, int count, float[] to, int stride) {
            float[] piece = new float[count];
            long at = source.offset() + n * elementBytes;
            for (int k = 0; k < source.rows(); k++) {
                source.reader().read(source.segment(), at + k * source.rowBytes(), count, piece, 0);
                for (int i = 0; i < count; i++) {
                    to[i * stride + k] = piece[i];
                }
            }
        }
    }
}
