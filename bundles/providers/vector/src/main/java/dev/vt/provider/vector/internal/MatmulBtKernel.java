package dev.vt.provider.vector.internal;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Matmul;

/** {@code matmul_bt} and {@code matmul_bt_quant}: the rows of b are read, or decoded, a panel at a time. Stateless. */
final class MatmulBtKernel implements Matmul {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
        if (!a.dtype().isFloat()) {
            return Declines.A_TYPE;
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
        cpu.submit(new Product(Rows.of(a, left), new RowPanel(Rows.of(b, right), k), Output.of(out), k));
        return Outcome.SERVED;
    }

    private record RowPanel(Rows source, int k) implements Panel {
        @Override
        public long rows() {
            return source.rows();
        }

        @Override
        public void read(long n, int count, float[] to, int stride) {
            for (int i = 0; i < count; i++) {
                source.read(n + i, k, to, i * stride);
            }
        }

        @Override
        public boolean dots(float[] a, int ao, long n, float[] sums) {
            return source.reader()
                    .dots(a, ao, source.segment(), source.offset() + n * source.rowBytes(), source.rowBytes(), k, sums);
        }
    }
}
