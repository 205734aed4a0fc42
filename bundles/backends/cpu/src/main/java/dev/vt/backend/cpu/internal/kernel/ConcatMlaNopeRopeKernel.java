package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.ConcatMlaNopeRope;

/** {@code concat_mla_nope_rope}: two copies of bytes a head. */
final class ConcatMlaNopeRopeKernel implements ConcatMlaNopeRope {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor nope, Tensor rope) {
        if (!Rows.readable(out) || !Rows.readable(nope) || !Rows.readable(rope)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, nope, rope);
        }
        Rows to = Rows.of(out);
        Rows first = Rows.of(nope);
        Rows second = Rows.of(rope);
        long heads = out.dim(1);
        boolean shared = rope.dim(1) == 1;
        cpu.submit(workers -> workers.forRange(to.rows(), Work.grain(50 + 0.2 * to.cols()), (begin, end) -> {
            float[] scratch = new float[Elementwise.CHUNK];
            for (long r = begin; r < end; r++) {
                first.copy(r, 0, first.cols(), to, r, 0, scratch);
                second.copy(shared ? r / heads : r, 0, second.cols(), to, r, first.cols(), scratch);
            }
        }));
        return Outcome.SERVED;
    }
}
