package dev.vt.backend.cuda.internal.kernel.sampling;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Widths;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.ApplyTemperature;

/** {@code apply_temperature}: rows that keep their logits are not touched. */
final class ApplyTemperatureKernel implements ApplyTemperature {
    private final Widths widths;

    ApplyTemperatureKernel(KernelModule module) {
        widths = new Widths(module, "apply_temperature", 4);
    }

    @Override
    public Outcome run(Queue queue, Tensor logits, Tensor temperature, boolean allRandom) {
        Outcome no = Operand.dense(logits);
        no = no != null ? no : Operand.dense(temperature);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(logits, temperature);
        }
        if (logits.elements() > 0) {
            boolean fits = widths.fits(logits);
            try (Launch launch = cuda.launch(widths.of(fits))) {
                launch.tensor(logits)
                        .tensor(temperature)
                        .i64(logits.dim(0))
                        .i64(logits.dim(1))
                        .i32(allRandom ? 1 : 0);
                Rows.run(launch, logits, widths.width(fits));
            }
        }
        return Outcome.SERVED;
    }
}
