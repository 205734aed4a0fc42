package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuWorkers;
import dev.vt.ops.kernel.Unary;
import java.util.Arrays;

/**
 * {@code compute_probs} and {@code compute_logprobs}. A row is cut into parts of fixed length, so that one long row
 * uses all cores and the sum still has one order. A row with a NaN, a positive infinity or nothing but negative
 * infinities becomes NaN.
 */
final class SoftmaxKernel implements Unary {
    private final boolean log;

    /** With {@code log}, the logarithms of the probabilities. */
    SoftmaxKernel(boolean log) {
        this.log = log;
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x) {
        if (!Rows.readable(out) || !Rows.readable(x)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, x);
        }
        Rows from = Rows.of(x);
        Rows to = Rows.of(out);
        cpu.submit(workers -> run(workers, to, from));
        return Outcome.SERVED;
    }

    private void run(CpuWorkers workers, Rows to, Rows from) {
        int parts = (int) Math.ceilDiv(from.cols(), Elementwise.CHUNK);
        int rows = Math.toIntExact(from.rows());
        float[][] max = new float[rows][parts];
        double[][] sum = new double[rows][parts];
        forParts(workers, from, parts, 1, (row, part, n, scratch) -> {
            from.read(row, (long) part * Elementwise.CHUNK, n, scratch, 0);
            max[row][part] = Sums.max(scratch, n);
        });
        for (float[] m : max) {
            Arrays.fill(m, Sums.max(m, parts));
        }
        forParts(workers, from, parts, 15, (row, part, n, scratch) -> {
            from.read(row, (long) part * Elementwise.CHUNK, n, scratch, 0);
            sum[row][part] = exponentials(scratch, n, max[row][0]);
        });
        for (double[] s : sum) {
            Arrays.fill(s, total(s));
        }
        forParts(workers, from, parts, 15, (row, part, n, scratch) -> {
            from.read(row, (long) part * Elementwise.CHUNK, n, scratch, 0);
            finish(scratch, n, max[row][0], sum[row][0]);
            to.write(row, (long) part * Elementwise.CHUNK, n, scratch, 0);
        });
    }

    @FunctionalInterface
    private interface Part {
        void run(int row, int part, int n, float[] scratch);
    }

    private static void forParts(CpuWorkers workers, Rows x, int parts, double nanosPerElement, Part body) {
        int longest = (int) Math.min(Elementwise.CHUNK, x.cols());
        workers.forRange(x.rows() * parts, Work.grain(nanosPerElement * longest), (begin, end) -> {
            float[] scratch = new float[longest];
            for (long item = begin; item < end; item++) {
                int part = (int) (item % parts);
                int n = (int) Math.min(Elementwise.CHUNK, x.cols() - (long) part * Elementwise.CHUNK);
                body.run((int) (item / parts), part, n, scratch);
            }
        });
    }

    private static double exponentials(float[] x, int n, float max) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            sum += Math.exp((double) x[i] - max);
        }
        return sum;
    }

    private static double total(double[] parts) {
        double sum = 0;
        for (double p : parts) {
            sum += p;
        }
        return sum;
    }

    private void finish(float[] x, int n, float max, double sum) {
        double logSum = Math.log(sum);
        double inverse = 1.0 / sum;
        for (int i = 0; i < n; i++) {
            double d = (double) x[i] - max;
            x[i] = (float) (log ? d - logSum : Math.exp(d) * inverse);
        }
    }
}
