package dev.vt.backend.cuda.internal.kernel.norm;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.launch.Launch;
import org.jspecify.annotations.Nullable;

/** The gate of a normalisation: rank 2 or 3, dense but for its first dimension, whose stride may be anything. No state. */
final class Gate {
    private Gate() {}

    /** Null when kernels can read it, else why not. */
    static @Nullable Outcome readable(Tensor gate) {
        if (gate.rank() == 3 && gate.dim(1) > 1 && gate.stride(1) != gate.dim(2) && !gate.contiguous()) {
            return Declines.UNEVEN_ROWS;
        }
        Outcome no = gate.lastDim() > 1 && gate.stride(gate.rank() - 1) != 1 ? Declines.NOT_CONTIGUOUS : null;
        return no != null ? no : Operand.aligned(gate);
    }

    /** Whether it can be read in packs. */
    static boolean packed(Tensor gate) {
        return Packs.aligned(gate) && (gate.contiguous() || Packs.whole(gate.stride(0)));
    }

    /** The arguments that describe it. */
    static void describe(Launch launch, Tensor gate, boolean sigmoid) {
        boolean dense = gate.contiguous();
        long group = gate.rank() == 3 ? gate.dim(1) : 1;
        launch.tensor(gate)
                .i32(Operand.type(gate))
                .i32(sigmoid ? 1 : 0)
                .i64(group)
                .i64(dense ? group * gate.lastDim() : gate.stride(0));
    }
}
