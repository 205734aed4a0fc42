package dev.vt.backend.cuda.internal.kernel.rope;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.RangeCheck;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeFrequencies;
import dev.vt.ops.kernel.RopeNeox;
import org.jspecify.annotations.Nullable;

/** {@code rope_neox}: each block makes the angles of its token once for all heads. */
final class RopeNeoxKernel implements RopeNeox {
    private static final Outcome LONG_HEAD = Outcome.declined("the angles of a token are more than 48 KiB");

    private static final int MOST_ROTARY = (48 << 10) / Float.BYTES;

    private final KernelFunction f32;
    private final KernelFunction f32Wide;
    private final KernelFunction bf16;
    private final KernelFunction bf16Wide;

    RopeNeoxKernel(KernelModule module) {
        f32 = module.function("rope_angles_f32_1");
        f32Wide = module.function("rope_angles_f32_4");
        bf16 = module.function("rope_angles_bf16_1");
        bf16Wide = module.function("rope_angles_bf16_8");
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor q,
            Tensor k,
            Tensor positions,
            RopeFrequencies frequencies,
            @Nullable MropeSections sections) {
        Outcome no = Heads.decline(q, k);
        no = no != null ? no : Operand.dense(positions);
        if (no != null) {
            return no;
        }
        int rotary = frequencies.rotaryDim();
        if (rotary > MOST_ROTARY) {
            return LONG_HEAD;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(q, k, positions);
        }
        if (q.dim(0) > 0) {
            boolean wide = Heads.wide(q, k, rotary);
            try (Launch launch = cuda.launch(kernel(q, wide))) {
                Heads.arguments(launch, q, k);
                Heads.positions(launch, positions, RangeCheck.wide(positions), q.dim(0), sections);
                Heads.frequencies(launch, frequencies)
                        .run(q.dim(0), 1, 1, Heads.threads(q, k, rotary, wide), rotary * Float.BYTES);
            }
        }
        return Outcome.SERVED;
    }

    private KernelFunction kernel(Tensor q, boolean wide) {
        return q.dtype() == DType.F32 ? (wide ? f32Wide : f32) : (wide ? bf16Wide : bf16);
    }
}
