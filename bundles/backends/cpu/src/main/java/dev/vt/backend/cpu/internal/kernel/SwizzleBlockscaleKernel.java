package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.ScaleLayout;
import dev.vt.ops.kernel.Unary;

/** {@code swizzle_blockscale}: one range for each padded row. */
final class SwizzleBlockscaleKernel implements Unary {
    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x) {
        if (!out.contiguous() || !Rows.readable(x)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, x);
        }
        Bytes to = Bytes.of(out);
        Bytes from = Bytes.of(x);
        long rows = x.dim(0);
        long groups = x.lastDim();
        long padded = out.lastDim();
        cpu.submit(workers -> workers.forRange(out.dim(0), Work.grain(5.0 * padded), (begin, end) -> {
            for (long r = begin; r < end; r++) {
                for (long g = 0; g < padded; g++) {
                    byte scale = r < rows && g < groups ? from.get(r, g) : 0;
                    to.set(ScaleLayout.SWIZZLED.at(r, g, padded), scale);
                }
            }
        }));
        return Outcome.SERVED;
    }
}
