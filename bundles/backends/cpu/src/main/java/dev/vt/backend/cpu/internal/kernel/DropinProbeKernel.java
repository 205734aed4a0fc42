package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.DropinProbe;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** {@code dropin_probe}: reads the first byte of each tensor in the task, everything else from the views. */
final class DropinProbeKernel implements DropinProbe {
    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor ids,
            @Nullable Tensor scale,
            long integer,
            double real,
            boolean flag) {
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, x, ids);
            if (scale != null) {
                cpu.uses(scale);
            }
        }
        Ints report = new Ints(out);
        cpu.submit(workers -> {
            report.set(0, VERSION);
            report.set(1, integer);
            report.set(2, Double.doubleToRawLongBits(real));
            report.set(3, flag ? 1 : 0);
            describe(report, 0, x);
            describe(report, 1, ids);
            describe(report, 2, scale);
        });
        return Outcome.SERVED;
    }

    private static void describe(Ints report, int index, @Nullable Tensor t) {
        int at = FIRST_TENSOR + TENSOR_SLOTS * index;
        for (int i = 0; i < TENSOR_SLOTS; i++) {
            report.set(at + i, 0);
        }
        if (t == null) {
            return;
        }
        report.set(at, 1);
        report.set(at + 1, DropinProbe.code(t.dtype()));
        report.set(at + 2, t.rank());
        for (int d = 0; d < t.rank(); d++) {
            report.set(at + 3 + d, t.dim(d));
            report.set(at + 3 + Tensor.MAX_RANK + d, t.stride(d));
        }
        report.set(at + TENSOR_SLOTS - 1, firstByte(t));
    }

    private static long firstByte(Tensor t) {
        return t.elements() == 0 ? -1 : Byte.toUnsignedLong(t.segment().get(ValueLayout.JAVA_BYTE, t.offset()));
    }
}
