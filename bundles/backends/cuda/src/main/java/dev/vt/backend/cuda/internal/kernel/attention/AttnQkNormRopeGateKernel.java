package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.kernel.support.RowLanes;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.AttnQkNormRopeGate;
import org.jspecify.annotations.Nullable;

/** {@code attn_qk_norm_rope_gate}: a head a row, as in {@code rms_norm}; the normalised row is rotated in shared memory. */
final class AttnQkNormRopeGateKernel implements AttnQkNormRopeGate {
    private static final Outcome TWO_TYPES = Outcome.declined("qGate and k are of different types");
    private static final Outcome LONG_HEAD = Outcome.declined("a head is more than 48 KiB of f32");

    /** Bytes of shared memory that every block may have. */
    private static final int SHARED = 48 << 10;

    private final KernelFunction f32;
    private final KernelFunction f16;
    private final KernelFunction bf16;

    AttnQkNormRopeGateKernel(KernelModule module) {
        f32 = module.function("gated_heads_f32");
        f16 = module.function("gated_heads_f16");
        bf16 = module.function("gated_heads_bf16");
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor qOut,
            Tensor kOut,
            Tensor gateOut,
            Tensor qGate,
            Tensor k,
            Tensor qNorm,
            Tensor kNorm,
            Tensor cosSin,
            float eps) {
        Outcome no = dense(qOut, kOut, gateOut);
        no = no != null ? no : dense(qGate, k, cosSin);
        no = no != null ? no : dense(qNorm, kNorm, null);
        no = no != null ? no : decline(qOut, kOut, qGate, k);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(qOut, kOut, gateOut, qGate, k, qNorm, kNorm, cosSin);
        }
        long n = qOut.dim(2);
        long rows = qOut.dim(0) * (qOut.dim(1) + kOut.dim(1));
        if (rows > 0 && n > 0) {
            boolean packed = Packs.aligned(qGate) && Packs.aligned(k) && Packs.aligned(qNorm) && Packs.aligned(kNorm);
            try (Launch launch = cuda.launch(kernel(qGate))) {
                launch.tensor(qOut)
                        .tensor(kOut)
                        .tensor(gateOut)
                        .tensor(qGate)
                        .tensor(k)
                        .tensor(qNorm)
                        .i32(Operand.type(qNorm))
                        .tensor(kNorm)
                        .i32(Operand.type(kNorm))
                        .tensor(cosSin)
                        .i32((int) cosSin.dim(1))
                        .i32((int) qOut.dim(1))
                        .i32((int) kOut.dim(1));
                RowLanes.describe(launch, rows, n, 1.0 / n, eps, packed);
                RowLanes.run(launch, rows, n, shared(n));
            }
        }
        return Outcome.SERVED;
    }

    private static int shared(long n) {
        return (int) (RowLanes.rowsOfBlock(n) * RowLanes.padded(n) * Float.BYTES);
    }

    private KernelFunction kernel(Tensor qGate) {
        return qGate.dtype() == DType.F32 ? f32 : qGate.dtype() == DType.F16 ? f16 : bf16;
    }

    private static @Nullable Outcome dense(Tensor a, Tensor b, @Nullable Tensor c) {
        Outcome no = Operand.dense(a);
        no = no != null ? no : Operand.dense(b);
        return no != null ? no : Operand.dense(c);
    }

    private static @Nullable Outcome decline(Tensor qOut, Tensor kOut, Tensor qGate, Tensor k) {
        if (qGate.dtype() != k.dtype()) {
            return TWO_TYPES;
        }
        long n = qOut.dim(2);
        if (n > SHARED / Float.BYTES || (n > 0 && shared(n) > SHARED)) {
            return LONG_HEAD;
        }
        long heads = qOut.dim(1) + kOut.dim(1);
        return Math.multiplyExact(qOut.dim(0), heads) > Grid.MAX ? Declines.MANY_ROWS : null;
    }
}
