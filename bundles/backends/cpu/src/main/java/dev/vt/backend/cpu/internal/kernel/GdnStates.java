package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import java.util.Arrays;

/**
 * {@code gdn_state_gather} and {@code gdn_state_scatter}: copies between the slots of a cache and working states. All indices
 * are checked before anything is written.
 */
final class GdnStates {
    private GdnStates() {}

    static Outcome gather(Queue queue, Tensor state, Tensor cache, Tensor stateIndices) {
        if (!Rows.readable(state) || !Rows.readable(cache)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(state, cache, stateIndices);
        }
        Rows from = Rows.of(cache);
        Rows to = Rows.of(state);
        cpu.submit(workers -> {
            Steps steps = Steps.slots("gdn_state_gather", stateIndices, state.dim(0), cache.dim(0));
            long each = rowsOfState(state);
            workers.forRange(to.rows(), Work.grain(20 + 0.5 * to.cols()), (begin, end) -> {
                float[] scratch = new float[Elementwise.CHUNK];
                for (long r = begin; r < end; r++) {
                    int slot = steps.slot((int) (r / each));
                    if (slot >= 0) {
                        from.copy(slot * each + r % each, 0, to.cols(), to, r, 0, scratch);
                    } else {
                        zero(to, r, scratch);
                    }
                }
            });
        });
        return Outcome.SERVED;
    }

    static Outcome scatter(Queue queue, Tensor cache, Tensor state, Tensor stateIndices) {
        if (!Rows.readable(state) || !Rows.readable(cache)) {
            return Declines.NOT_CONTIGUOUS;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            cpu.uses(cache, state, stateIndices);
        }
        Rows from = Rows.of(state);
        Rows to = Rows.of(cache);
        cpu.submit(workers -> {
            Steps steps = Steps.slots("gdn_state_scatter", stateIndices, state.dim(0), cache.dim(0));
            long each = rowsOfState(state);
            double nanos = steps.count() * (20 + 0.5 * to.cols());
            // Spread over the rows of a state, not over states: those of one slot must keep their order.
            workers.forRange(each, Work.grain(nanos), (begin, end) -> {
                float[] scratch = new float[Elementwise.CHUNK];
                for (int n = 0; n < steps.count(); n++) {
                    long slot = steps.slot(n);
                    for (long r = begin; slot >= 0 && r < end; r++) {
                        from.copy(n * each + r, 0, to.cols(), to, slot * each + r, 0, scratch);
                    }
                }
            });
        });
        return Outcome.SERVED;
    }

    /** How many rows of the last dimension make a state. */
    private static long rowsOfState(Tensor state) {
        long rows = 1;
        for (int i = 1; i < state.rank() - 1; i++) {
            rows *= state.dim(i);
        }
        return rows;
    }

    private static void zero(Rows to, long row, float[] zeros) {
        Arrays.fill(zeros, 0f);
        for (long c = 0; c < to.cols(); c += zeros.length) {
            to.write(row, c, (int) Math.min(zeros.length, to.cols() - c), zeros, 0);
        }
    }
}
