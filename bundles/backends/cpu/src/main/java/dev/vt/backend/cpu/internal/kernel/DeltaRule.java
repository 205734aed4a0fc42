package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuWorkers;
import org.jspecify.annotations.Nullable;

/**
 * {@code gdn_prefill}, {@code gdn_decode} and {@code gdn_packed_decode}: one recurrence, spread over the rows of the states, so
 * that the tokens of a state keep their order. Integer operands are checked before anything is written.
 */
final class DeltaRule {
    /** Numbers of the state that a block works on: they fit the first-level cache. */
    private static final int BLOCK = 4096;

    private DeltaRule() {}

    static Outcome prefill(
            Queue queue,
            Tensor out,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor state,
            Tensor queryStartLoc,
            float scale) {
        Outcome declined = declined(out, q, k, v, state);
        if (declined != null) {
            return declined;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, q, k, v, g, beta, state, queryStartLoc);
        }
        cpu.submit(workers -> {
            Steps steps = Steps.sequences("gdn_prefill", queryStartLoc, v.dim(0));
            run(workers, out, state, DeltaInputs.Separate.of(q, k, v, g, beta), steps, scale);
        });
        return Outcome.SERVED;
    }

    static Outcome decode(
            Queue queue,
            Tensor out,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor state,
            @Nullable Tensor stateIndices,
            float scale) {
        Outcome declined = declined(out, q, k, v, state);
        if (declined != null) {
            return declined;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, q, k, v, g, beta, state);
            if (stateIndices != null) {
                cpu.uses(stateIndices);
            }
        }
        cpu.submit(workers -> {
            Steps steps = Steps.slots("gdn_decode", stateIndices, v.dim(0), state.dim(0));
            run(workers, out, state, DeltaInputs.Separate.of(q, k, v, g, beta), steps, scale);
        });
        return Outcome.SERVED;
    }

    static Outcome packedDecode(
            Queue queue,
            Tensor out,
            Tensor mixedQkv,
            Tensor a,
            Tensor b,
            Tensor aLog,
            Tensor dtBias,
            Tensor state,
            Tensor stateIndices,
            float scale,
            float eps) {
        Outcome declined = declined(out, mixedQkv, a, b, state);
        if (declined != null) {
            return declined;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(out, mixedQkv, a, b, aLog, dtBias, state, stateIndices);
        }
        cpu.submit(workers -> {
            Steps steps = Steps.slots("gdn_packed_decode", stateIndices, out.dim(0), state.dim(0));
            long keys = (mixedQkv.dim(1) - out.dim(1) * out.dim(2)) / 2;
            DeltaInputs inputs = DeltaInputs.Packed.of(mixedQkv, a, b, aLog, dtBias, out, keys, eps);
            run(workers, out, state, inputs, steps, scale);
        });
        return Outcome.SERVED;
    }

    private static @Nullable Outcome declined(Tensor out, Tensor q, Tensor k, Tensor v, Tensor state) {
        if (!Rows.readable(out) || !Rows.readable(q) || !Rows.readable(k) || !Rows.readable(v) || !state.contiguous()) {
            return Declines.NOT_CONTIGUOUS;
        }
        return Rows.fits(state) ? null : Declines.LONG_ROW;
    }

    private static void run(
            CpuWorkers workers, Tensor out, Tensor state, DeltaInputs inputs, Steps steps, float scale) {
        long dim = out.dim(2);
        long width = state.dim(3);
        int most = (int) Math.max(1, BLOCK / Math.max(1, width));
        double nanos = out.dim(0) * (10 + 2.0 * width);
        workers.forRange(out.dim(1) * dim, Work.grain(nanos), (begin, end) -> {
            DeltaBlock block = new DeltaBlock(out, state, inputs, scale, (int) Math.min(most, end - begin));
            long at = begin;
            while (at < end) {
                long head = at / dim;
                long first = at % dim;
                int n = (int) Math.min(most, Math.min(dim - first, end - at));
                for (int step = 0; step < steps.count(); step++) {
                    block.run(steps, step, head, first, n);
                }
                at += n;
            }
        });
    }
}
