package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Contracts of the states that ops carry from token to token, and of their slots. No state, any thread; writes nothing. */
final class StateChecks {
    private StateChecks() {}

    /** One index for each row of the batch, or else one state for each row. */
    static void slots(
            Op<?> op, Tensor state, @Nullable Tensor stateIndices, String batchName, Tensor batch, Device device) {
        if (stateIndices == null) {
            if (state.dim(0) != batch.dim(0)) {
                throw Faults.dim(op, "state", state, 0, batch.dim(0), "without stateIndices, as in " + batchName);
            }
            return;
        }
        Check.dense(op, "stateIndices", stateIndices, device, 1);
        Check.dtype(op, "stateIndices", stateIndices, DType.I32);
        if (stateIndices.dim(0) != batch.dim(0)) {
            throw Faults.dim(op, "stateIndices", stateIndices, 0, batch.dim(0), "dimension 0 of " + batchName);
        }
    }

    static void gather(Queue queue, Tensor state, Tensor cache, Tensor stateIndices) {
        rows(OpTable.GDN_STATE_GATHER, queue, state, cache, stateIndices);
        Check.apart(OpTable.GDN_STATE_GATHER, "state", state, "cache", cache);
        Check.apart(OpTable.GDN_STATE_GATHER, "state", state, "stateIndices", stateIndices);
    }

    static void scatter(Queue queue, Tensor cache, Tensor state, Tensor stateIndices) {
        rows(OpTable.GDN_STATE_SCATTER, queue, state, cache, stateIndices);
        Check.apart(OpTable.GDN_STATE_SCATTER, "cache", cache, "state", state);
        Check.apart(OpTable.GDN_STATE_SCATTER, "cache", cache, "stateIndices", stateIndices);
    }

    private static void rows(Op<?> op, Queue queue, Tensor state, Tensor cache, Tensor stateIndices) {
        Device device = Check.device(op, queue);
        Check.anyRank(op, "state", state, device, 2);
        Check.dtype(op, "state", state, DType.F32);
        Check.anyRankPadded(op, "cache", cache, device, 2);
        Check.outFloats(op, "cache", cache);
        sameSlots(op, state, cache);
        Check.dense(op, "stateIndices", stateIndices, device, 1);
        Check.dtype(op, "stateIndices", stateIndices, DType.I32);
        Check.dim(op, "stateIndices", stateIndices, 0, state.dim(0), "dimension 0 of state");
    }

    private static void sameSlots(Op<?> op, Tensor state, Tensor cache) {
        boolean same = state.rank() == cache.rank();
        for (int i = 1; same && i < state.rank(); i++) {
            same = state.dim(i) == cache.dim(i);
        }
        if (!same) {
            throw Faults.of(op, "state", "rows of the shape of those of cache, which is " + cache, "" + state);
        }
    }
}
