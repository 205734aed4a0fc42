package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.Launch;
import org.jspecify.annotations.Nullable;

/** What {@code gdn_g_beta} and {@code gdn_post_conv} make their gates of. No state. */
final class GateOperands {
    private GateOperands() {}

    static @Nullable Outcome declined(Tensor g, Tensor beta, Tensor a, Tensor b, Tensor aLog, Tensor dtBias) {
        Outcome no = Operand.dense(g);
        no = no != null ? no : Operand.dense(beta);
        no = no != null ? no : Operand.rows(a);
        no = no != null ? no : Operand.rows(b);
        no = no != null ? no : Operand.dense(aLog);
        return no != null ? no : Operand.dense(dtBias);
    }

    static Launch put(Launch launch, Tensor a, Tensor b, Tensor aLog, Tensor dtBias) {
        return launch.tensor(a)
                .i32(Operand.type(a))
                .i64(Operand.stride(a))
                .tensor(b)
                .i32(Operand.type(b))
                .i64(Operand.stride(b))
                .tensor(aLog)
                .i32(Operand.type(aLog))
                .tensor(dtBias)
                .i32(Operand.type(dtBias));
    }
}
