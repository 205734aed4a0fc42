package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Widths;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.ApplyPenalties;
import org.jspecify.annotations.Nullable;

/** {@code apply_penalties}: repetition, then frequency, then presence, in one pass. */
final class ApplyPenaltiesKernel implements ApplyPenalties {
    private final Widths widths;

    ApplyPenaltiesKernel(KernelModule module) {
        widths = new Widths(module, "apply_penalties", 4);
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor logits,
            Tensor promptMask,
            Tensor outputMask,
            Tensor counts,
            Tensor repetition,
            Tensor frequency,
            Tensor presence) {
        Outcome no = declined(logits, promptMask, outputMask, counts);
        no = no != null ? no : declined(logits, repetition, frequency, presence);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(logits, promptMask, outputMask, counts, repetition, frequency, presence);
        }
        if (logits.elements() > 0) {
            boolean fits =
                    widths.fits(logits) && widths.fits(promptMask) && widths.fits(outputMask) && widths.fits(counts);
            try (Launch launch = cuda.launch(widths.of(fits))) {
                launch.tensor(logits)
                        .tensor(promptMask)
                        .tensor(outputMask)
                        .tensor(counts)
                        .tensor(repetition)
                        .tensor(frequency)
                        .tensor(presence)
                        .i64(logits.dim(0))
                        .i64(logits.dim(1));
                Rows.run(launch, logits, widths.width(fits));
            }
        }
        return Outcome.SERVED;
    }

    private static @Nullable Outcome declined(Tensor logits, Tensor a, Tensor b, Tensor c) {
        Outcome no = Operand.dense(logits);
        no = no != null ? no : Operand.dense(a);
        no = no != null ? no : Operand.dense(b);
        return no != null ? no : Operand.dense(c);
    }
}
