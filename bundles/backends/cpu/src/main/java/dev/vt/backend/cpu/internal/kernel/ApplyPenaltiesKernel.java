package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.ApplyPenalties;

/** {@code apply_penalties}: repetition, then frequency, then presence, each in f32. */
final class ApplyPenaltiesKernel implements ApplyPenalties {
    @Override
    public Outcome run(
            Queue queue,
            Tensor logits,
            Tensor promptMask,
            Tensor outputMask,
            Tensor counts,
            Tensor repetition,
            Tensor frequency,
            Tensor presence) {
        if (!Rows.readable(logits)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(logits, promptMask, outputMask, counts, repetition, frequency, presence);
        }
        Rows x = Rows.of(logits);
        Ints prompt = new Ints(promptMask);
        Ints output = new Ints(outputMask);
        Ints seen = new Ints(counts);
        Rows repeat = Rows.of(repetition);
        Rows often = Rows.of(frequency);
        Rows once = Rows.of(presence);
        cpu.submit(workers -> workers.forRange(x.rows() * x.cols(), Work.grain(5), (begin, end) -> {
            float[] scratch = Elementwise.scratch(begin, end);
            Elementwise.pieces(x.cols(), begin, end, (row, col, n) -> {
                float r = repeat.get(0, row);
                float f = often.get(0, row);
                float p = once.get(0, row);
                x.read(row, col, n, scratch, 0);
                for (int i = 0; i < n; i++) {
                    boolean known = prompt.get(row, col + i) != 0 || output.get(row, col + i) != 0;
                    scratch[i] = penalise(scratch[i], known, seen.get(row, col + i), r, f, p);
                }
                x.write(row, col, n, scratch, 0);
            });
        }));
        return Outcome.SERVED;
    }

    private static float penalise(float x, boolean known, long count, float repeat, float often, float once) {
        float y = known ? (x > 0 ? x / repeat : x * repeat) : x;
        return count > 0 ? y - often * count - once : y;
    }
}
