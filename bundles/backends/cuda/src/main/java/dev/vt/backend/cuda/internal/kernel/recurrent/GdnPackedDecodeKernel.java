package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.GdnPackedDecode;
import org.jspecify.annotations.Nullable;

/** {@code gdn_packed_decode}: q and k are normalised, g and beta made, where the blocks read them. */
final class GdnPackedDecodeKernel implements GdnPackedDecode {
    private final DeltaRule rule;

    GdnPackedDecodeKernel(DeltaRule rule) {
        this.rule = rule;
    }

    @Override
    public Outcome run(
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
        Outcome no = DeltaRule.declined(out, mixedQkv, a, b, state);
        no = no != null ? no : declined(aLog, dtBias, stateIndices);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, mixedQkv, a, b, aLog, dtBias, state, stateIndices);
        }
        if (out.dim(0) > 0) {
            try (Launch launch = cuda.launch(rule.of(mixedQkv, mixedQkv, state))) {
                begin(launch, out, mixedQkv, a, b, aLog, dtBias, state)
                        .f32(scale)
                        .f32(eps);
                DeltaRule.run(launch, out, null, stateIndices, state, FaultSite.GDN_PACKED_DECODE_SLOTS);
            }
        }
        return Outcome.SERVED;
    }

    private static @Nullable Outcome declined(Tensor aLog, Tensor dtBias, Tensor stateIndices) {
        Outcome no = Operand.dense(aLog);
        no = no != null ? no : Operand.dense(dtBias);
        return no != null ? no : Operand.dense(stateIndices);
    }

    private static Launch begin(
            Launch launch, Tensor out, Tensor mixedQkv, Tensor a, Tensor b, Tensor aLog, Tensor dtBias, Tensor state) {
        long heads = out.dim(1);
        long width = state.dim(3);
        long row = mixedQkv.dim(1);
        long keys = (row - heads * out.dim(2)) / 2;
        long keyHeads = Math.max(1, keys / Math.max(1, width));
        long first = mixedQkv.segment().address() + mixedQkv.offset();
        long bytes = mixedQkv.dtype().blockBytes();
        int mixed = DeltaRule.type(mixedQkv, 0) | DeltaRule.type(mixedQkv, 1) | DeltaRule.type(mixedQkv, 2);
        int gates = DeltaRule.type(a, 3) | DeltaRule.type(b, 4) | DeltaRule.type(aLog, 5) | DeltaRule.type(dtBias, 6);
        return launch.tensor(out)
                .address(first)
                .address(first + keys * bytes)
                .address(first + 2 * keys * bytes)
                .i64(row)
                .i64(row)
                .tensor(a)
                .tensor(b)
                .tensor(aLog)
                .tensor(dtBias)
                .tensor(state)
                .i32(mixed | gates | DeltaRule.type(out, 7))
                .i32(1)
                .i64(heads)
                .i64(Math.max(1, heads / keyHeads))
                .i64(out.dim(2))
                .i64(width);
    }
}
