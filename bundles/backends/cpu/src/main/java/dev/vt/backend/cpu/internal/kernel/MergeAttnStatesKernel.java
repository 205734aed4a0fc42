package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.MergeAttnStates;
import org.jspecify.annotations.Nullable;

/** {@code merge_attn_states}: the weights of the two parts are made in double. */
final class MergeAttnStatesKernel implements MergeAttnStates {
    @Override
    public Outcome run(
            Queue queue,
            Tensor out,
            @Nullable Tensor outLse,
            Tensor prefix,
            Tensor prefixLse,
            Tensor suffix,
            Tensor suffixLse) {
        if (!Rows.readable(out) || !Rows.readable(prefix) || !Rows.readable(suffix)) {
            return Declines.NOT_CONTIGUOUS;
        }
        if (!Rows.fits(out)) {
            return Declines.LONG_ROW;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, prefix, prefixLse, suffix, suffixLse);
            if (outLse != null) {
                cpu.uses(outLse);
            }
        }
        long heads = out.dim(1);
        Rows to = Rows.of(out);
        Rows first = Rows.of(prefix);
        Rows second = Rows.of(suffix);
        Rows firstLse = Rows.of(prefixLse);
        Rows secondLse = Rows.of(suffixLse);
        Rows toLse = outLse == null ? null : Rows.of(outLse);
        cpu.submit(workers -> workers.forRange(to.rows(), Work.grain(100 + 2.0 * to.cols()), (begin, end) -> {
            float[] a = new float[(int) to.cols()];
            float[] b = new float[(int) to.cols()];
            for (long r = begin; r < end; r++) {
                first.read(r, a);
                second.read(r, b);
                double p = seen(firstLse.get(r % heads, r / heads));
                double s = seen(secondLse.get(r % heads, r / heads));
                double lse = merge(a, p, b, s);
                to.write(r, a);
                if (toLse != null) {
                    toLse.write(r % heads, r / heads, 1, new float[] {(float) lse}, 0);
                }
            }
        }));
        return Outcome.SERVED;
    }

    /** A sum that overflowed is one over nothing. */
    private static double seen(float lse) {
        return lse == Float.POSITIVE_INFINITY ? Double.NEGATIVE_INFINITY : lse;
    }

    /** Leaves the merged row in {@code a}; gives the logarithm of both sums. */
    private static double merge(float[] a, double p, float[] b, double s) {
        double max = Math.max(p, s);
        if (max == Double.NEGATIVE_INFINITY) {
            return max;
        }
        double x = Math.exp(p - max);
        double y = Math.exp(s - max);
        float left = (float) (x / (x + y));
        float right = (float) (y / (x + y));
        for (int i = 0; i < a.length; i++) {
            a[i] = a[i] * left + b[i] * right;
        }
        return max + Math.log(x + y);
    }
}
