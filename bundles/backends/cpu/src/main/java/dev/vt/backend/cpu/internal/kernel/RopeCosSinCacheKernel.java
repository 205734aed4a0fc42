package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.RopeCosSinCache;
import dev.vt.ops.kernel.RopeFrequencies;
import org.jspecify.annotations.Nullable;

/** {@code rope_cos_sin_cache}. */
final class RopeCosSinCacheKernel implements RopeCosSinCache {
    @Override
    public Outcome run(
            Queue queue, Tensor cosSin, Tensor positions, RopeFrequencies frequencies, @Nullable Tensor factors) {
        if (!Rows.readable(cosSin) || (factors != null && !Rows.readable(factors))) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(cosSin, positions);
            if (factors != null) {
                cpu.uses(factors);
            }
        }
        Rows to = Rows.of(cosSin);
        Ints at = new Ints(positions);
        int pairs = frequencies.rotaryDim() / 2;
        cpu.submit(workers -> {
            double[] f = Rotation.frequencies(frequencies);
            divide(f, factors);
            workers.forRange(to.rows(), Work.grain(40.0 * pairs), (begin, end) -> {
                float[] row = new float[2 * pairs];
                for (long t = begin; t < end; t++) {
                    long position = at.get(t);
                    for (int i = 0; i < pairs; i++) {
                        double angle = position * f[i];
                        row[i] = (float) Math.cos(angle);
                        row[pairs + i] = (float) Math.sin(angle);
                    }
                    to.write(t, row);
                }
            });
        });
        return Outcome.SERVED;
    }

    private static void divide(double[] frequencies, @Nullable Tensor factors) {
        if (factors == null) {
            return;
        }
        Rows by = Rows.of(factors);
        for (int i = 0; i < frequencies.length; i++) {
            frequencies[i] /= by.get(0, i);
        }
    }
}
