package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.RandomSample;

/**
 * {@code random_sample}. The noise of column c is output c of a SplitMix64 generator whose state starts at {@code
 * mix(seed + (row + 1) * GAMMA)}: {@code h = mix(start + (c + 1) * GAMMA)}, {@code u = ((h >>> 11) + 0.5) * 2^-53},
 * {@code e = -ln(u)}, and the score is {@code prob / e} in double. So a draw depends on seed, row and column alone. A
 * column of probability 0 is drawn only where all are 0, and then the first. Source of the generator: Steele, Lea and
 * Flood, Fast Splittable Pseudorandom Number Generators, 2014; of the method: Gumbel, in its exponential form.
 */
final class RandomSampleKernel implements RandomSample {
    /** The odd number next to 2^64 over the golden ratio. */
    private static final long GAMMA = 0x9e3779b97f4a7c15L;

    @Override
    public Outcome run(Queue queue, Tensor tokenIds, Tensor probs, Tensor seeds) {
        if (!Rows.readable(probs)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (probs.lastDim() == 0) {
            return Declines.NO_COLUMNS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(tokenIds, probs, seeds);
        }
        Rows x = Rows.of(probs);
        Ints seed = new Ints(seeds);
        Ints out = new Ints(tokenIds);
        cpu.submit(workers -> Best.ofRows(
                workers, x, 20, (row, col, n, p, best) -> score(start(seed.get(row), row), col, n, p, best), out));
        return Outcome.SERVED;
    }

    private static void score(long start, long col, int n, float[] p, Best best) {
        for (int i = 0; i < n; i++) {
            best.offer(p[i] == 0f ? 0.0 : p[i] / noise(start, col + i), col + i);
        }
    }

    static long start(long seed, long row) {
        return mix(seed + (row + 1) * GAMMA);
    }

    /** Exponentially distributed with mean 1; above 0 and finite. */
    static double noise(long start, long column) {
        long h = mix(start + (column + 1) * GAMMA);
        return -Math.log(((h >>> 11) + 0.5) * 0x1p-53);
    }

    private static long mix(long z) {
        long a = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        long b = (a ^ a >>> 27) * 0x94d049bb133111ebL;
        return b ^ b >>> 31;
    }
}
