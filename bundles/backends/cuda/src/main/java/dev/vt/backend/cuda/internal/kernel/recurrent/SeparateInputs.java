package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.Launch;
import org.jspecify.annotations.Nullable;

/** The gated delta rule's inputs where each is a tensor of its own. No state. */
final class SeparateInputs {
    private SeparateInputs() {}

    static @Nullable Outcome declined(
            Tensor out, Tensor q, Tensor k, Tensor v, Tensor g, Tensor beta, Tensor state, @Nullable Tensor steps) {
        Outcome no = DeltaRule.declined(out, q, k, v, state);
        no = no != null ? no : Operand.dense(g);
        no = no != null ? no : Operand.dense(beta);
        return no != null ? no : Operand.dense(steps);
    }

    static Launch begin(
            Launch launch, Tensor out, Tensor q, Tensor k, Tensor v, Tensor g, Tensor beta, Tensor state, float scale) {
        return launch.tensor(out)
                .tensor(q)
                .tensor(k)
                .tensor(v)
                .i64(q.dim(1) * q.dim(2))
                .i64(v.dim(1) * v.dim(2))
                .tensor(g)
                .tensor(beta)
                .address(0)
                .address(0)
                .tensor(state)
                .i32(DeltaRule.type(q, 0) | DeltaRule.type(k, 1) | DeltaRule.type(v, 2) | DeltaRule.type(out, 7))
                .i32(0)
                .i64(v.dim(1))
                .i64(Math.max(1, v.dim(1) / Math.max(1, q.dim(1))))
                .i64(v.dim(2))
                .i64(q.dim(2))
                .f32(scale)
                .f32(0);
    }
}
