package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeFrequencies;
import dev.vt.ops.kernel.RopeNeox;
import org.jspecify.annotations.Nullable;

/** {@code rope_neox}: the angles of a token are made once for all its heads. */
final class RopeNeoxKernel implements RopeNeox {
    @Override
    public Outcome run(
            Queue queue,
            Tensor q,
            Tensor k,
            Tensor positions,
            RopeFrequencies frequencies,
            @Nullable MropeSections sections) {
        if (!Rows.readable(q) || !Rows.readable(k)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(q, k, positions);
        }
        Rows queries = Rows.of(q);
        Rows keys = Rows.of(k);
        Ints at = new Ints(positions);
        long tokens = q.dim(0);
        int rotaryDim = frequencies.rotaryDim();
        double[] f = Rotation.frequencies(frequencies);
        double nanos = rotaryDim * (20.0 + q.dim(1) + k.dim(1));
        cpu.submit(workers -> workers.forRange(tokens, Work.grain(nanos), (begin, end) -> {
            Rotation rotation = new Rotation(rotaryDim, false);
            for (long t = begin; t < end; t++) {
                if (sections == null) {
                    rotation.angles(at.get(t), f);
                } else {
                    rotation.angles(at, t, tokens, sections, f);
                }
                rotation.rotate(queries, t, q.dim(1));
                rotation.rotate(keys, t, k.dim(1));
            }
        }));
        return Outcome.SERVED;
    }
}
