package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.QuantFp8Static;

/** {@code quant_fp8_static}. */
final class QuantFp8StaticKernel implements QuantFp8Static {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x, float scale) {
        if (!Rows.readable(out) || !Rows.readable(x)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, x);
        }
        Rows from = Rows.of(x);
        Bytes to = Bytes.of(out);
        cpu.submit(workers -> workers.forRange(from.rows() * from.cols(), Work.grain(3), (begin, end) -> {
            float[] scratch = Elementwise.scratch(begin, end);
            Elementwise.pieces(from.cols(), begin, end, (row, col, n) -> {
                from.read(row, col, n, scratch, 0);
                write(to, row, col, scratch, n, scale);
            });
        }));
        return Outcome.SERVED;
    }

    /** Writes e4m3(x / scale) of {@code n} numbers. */
    static void write(Bytes to, long row, long col, float[] x, int n, float scale) {
        for (int i = 0; i < n; i++) {
            to.set(row, col + i, Fp8.encode(x[i] / scale));
        }
    }
}
